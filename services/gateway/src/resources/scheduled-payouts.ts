import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  ApproveScheduledPayoutRequestSchema,
  ListScheduledPayoutsRequestSchema,
  ListScheduledPayoutsResponseSchema,
  RejectScheduledPayoutRequestSchema,
  ScheduledPayoutApprovalSchema,
  ScheduledPayoutSchema,
  SchedulePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { approveScheduledPayout, rejectScheduledPayout } from "@disburse/forms/bodies/approval.ts";
import { schedulePayout } from "@disburse/forms/bodies/transfer.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, get, post, type Resource } from "../openapi/route.ts";
import { createdBy, decidedBy } from "./parts/actor.ts";
import { digestExample } from "./parts/payouts.ts";

const approval = f.record(
  ScheduledPayoutApprovalSchema,
  "ScheduledPayoutApproval",
  "The decision on a scheduled payout that was held, because the API key that made it was revoked or its person removed.",
  {
    state: f.word(
      ApprovalState,
      "`waiting`, as decided, `expired` if no one decided in time, or `cancelled` before anyone decided.",
    ),
    digest: f.text(
      "SHA-256 over what is approved: account, beneficiary, amount, maximum, your texts, and `scheduled_at`.",
      digestExample,
    ),
    expires_at: f.moment("When it fails if no one has decided."),
    decided_at: f.momentOrNone("When it was decided; empty until then."),
    ...decidedBy,
    reason: f.text("Why it was rejected; otherwise empty.", ""),
  },
);

const scheduled = f.record(
  ScheduledPayoutSchema,
  "ScheduledPayout",
  "A payout that is quoted and made at a time.",
  {
    id: f.id("spo", "Its id; the payout has one of its own."),
    status: f.word(
      PayoutStatus,
      "`initiated` while it waits; then its payout's. `failed` without a `payout_id`: no payout was made.",
    ),
    sub_status: f.word(
      PayoutSubStatus,
      "`scheduled` while it waits for its time, `awaiting_approval` while it is held; then its payout's. Without a `payout_id`, `rejected`: it could not be made, `failure_code` says why; `cancelled`: by your request.",
    ),
    scheduled_at: f.moment("When its payout is due."),
    account_id: f.id("acc", "Account that pays."),
    beneficiary_id: f.id("ben", "The beneficiary of the payment."),
    source_currency_code: f.text("Currency of the account.", "USD"),
    destination_currency_code: f.text("Currency of the beneficiary.", "USD"),
    source_amount: f.optional(
      f.decimal(
        "Amount that the account pays, as ordered or as quoted; omitted until known.",
        "100.10",
      ),
    ),
    receiving_amount: f.optional(
      f.decimal("Amount that the beneficiary receives; omitted until known.", "99.30"),
    ),
    max_source_amount: f.optional(
      f.decimal(
        "The maximum amount that the account may pay; omitted if there is no maximum.",
        "101.00",
      ),
    ),
    reserve: f.flag("True if its maximum is held from the start.", false),
    reference_id: f.text("Your own reference; empty if none was given.", "order-1001"),
    payout_id: f.text("The payout; empty until it is created.", ""),
    failure_code: f.text(
      "Reason of the failure; empty unless `failed`. If its payout exists, that payout's code. Otherwise the code that refused its quote or execution, `COST_ABOVE_MAXIMUM`, or, if it was held, `APPROVAL_EXPIRED` or `APPROVAL_REJECTED`.",
      "",
    ),
    failure_message: f.text("The failure code as an English sentence.", ""),
    metadata: f.pairs("Your own data, which is copied to its payout.", metadataField.example),
    approval: f.from("approval", f.optional(f.ref(approval))),
    ...createdBy,
    ...f.recordTimes,
  },
);

const scheduledPage = f.pageOf(
  ListScheduledPayoutsResponseSchema,
  "ScheduledPayoutPage",
  "scheduledPayouts",
  scheduled,
  "scheduled_payouts",
);

const listQuery = q.queryOf(ListScheduledPayoutsRequestSchema, {
  ...q.page,
  sub_status: q.oneOf(
    {
      scheduled: PayoutSubStatus.SCHEDULED,
      awaiting_approval: PayoutSubStatus.AWAITING_APPROVAL,
      rejected: PayoutSubStatus.REJECTED,
      cancelled: PayoutSubStatus.CANCELLED,
    },
    "Only those without a payout: that wait for their time, await approval, could not be made, or were cancelled.",
  ),
});

const path = "/api/v1/transfer/scheduled-payouts";

export const scheduledPayouts: Resource = {
  scope: "payout",
  tag: "Scheduled payouts",
  components: [approval, scheduled, scheduledPage],
  routes: [
    post("createScheduledPayout", path, {
      summary: "Schedule payout",
      description:
        "Schedules a payout for `scheduled_at`. The body has the fields of a quote and of its execution. No money is held until then, unless you send `reserve`. At that time it is quoted and executed at once, as by Request for quote and Execute payout. If they refuse it, it is `failed`, with their code as `failure_code`, such as `INSUFFICIENT_BALANCE`. A quote above `max_source_amount` is not executed: `COST_ABOVE_MAXIMUM`. If the beneficiary's screening is still `pending`, it waits for up to 24 hours.\n\nWith `reserve`, `max_source_amount` is held from now on, so that other payouts can't spend it. If there is too little money now, the request is refused with `INSUFFICIENT_BALANCE`, and nothing is scheduled. When its payout is created, the payout holds its cost from the reservation, and the rest is available again. A scheduled payout that fails or is cancelled gives everything back.\n\nThe webhooks of its payout begin when the payout exists. One that failed without a payout sends none: read it, or list by `sub_status=rejected`.",
      body: { form: schedulePayout },
      data: scheduled,
      refusals: [
        "INVALID_REQUEST",
        "RECORD_NOT_FOUND",
        "SOURCE_ACCOUNT_CLOSED",
        "INSUFFICIENT_BALANCE",
      ],
      answer: async (call, { orders }) =>
        (await orders.schedulePayout(bodyRequest(call, SchedulePayoutRequestSchema)))
          .scheduledPayout,
    }),
    get("listScheduledPayouts", path, {
      summary: "List scheduled payouts",
      description: "Newest first.",
      query: listQuery,
      data: scheduledPage,
      answer: ({ request }, { orders }) => orders.listScheduledPayouts(request),
    }),
    get("getScheduledPayout", `${path}/:scheduledPayoutId`, {
      summary: "Get scheduled payout",
      description: "One scheduled payout in its current state.",
      data: scheduled,
      answer: async ({ request }, { orders }) =>
        (await orders.getScheduledPayout(request)).scheduledPayout,
    }),
    post("approveScheduledPayout", `${path}/:scheduledPayoutId/approve`, {
      summary: "Approve scheduled payout",
      description:
        "Approves a scheduled payout with `sub_status` `awaiting_approval`. Its payout is created at the scheduled time, or at once if that time has passed. Your approval rules then apply to it as to any other payout. The API key needs the scope `payout:approve`, and may not count as one actor with the creator. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or was never held.",
      body: { form: approveScheduledPayout, optional: true },
      data: scheduled,
      scope: "payout:approve",
      refusals: [
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "STATE_NOT_REACHABLE",
        "ACCESS_FORBIDDEN",
        "INVALID_REQUEST",
      ],
      answer: async (call, { orders }) =>
        (
          await orders.approveScheduledPayout(
            bodyRequest(call, ApproveScheduledPayoutRequestSchema),
          )
        ).scheduledPayout,
    }),
    post("rejectScheduledPayout", `${path}/:scheduledPayoutId/reject`, {
      summary: "Reject scheduled payout",
      description:
        "Rejects a scheduled payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`. The rules for scope and caller are those of Approve scheduled payout.",
      body: { form: rejectScheduledPayout },
      data: scheduled,
      scope: "payout:approve",
      refusals: [
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "ACCESS_FORBIDDEN",
        "INVALID_REQUEST",
      ],
      answer: async (call, { orders }) =>
        (await orders.rejectScheduledPayout(bodyRequest(call, RejectScheduledPayoutRequestSchema)))
          .scheduledPayout,
    }),
    post("cancelScheduledPayout", `${path}/:scheduledPayoutId/cancel`, {
      summary: "Cancel scheduled payout",
      description:
        "Cancels a scheduled payout that waits for its time or its approval. If its payout exists, cancels that payout as in Cancel payout, until it is submitted. A repeat returns the same response. `NOT_CANCELLABLE`: its payout is submitted or final, or it failed. `SERVICE_UNAVAILABLE`: its payout is being created; repeat the request.",
      data: scheduled,
      refusals: ["RECORD_NOT_FOUND", "NOT_CANCELLABLE"],
      answer: async ({ change }, { orders }) =>
        (await orders.cancelScheduledPayout(change)).scheduledPayout,
    }),
  ],
};
