import {
  SetBeneficiaryListingRequestSchema,
  SetDepositorListingRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { SendSandboxEventRequestSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import {
  CreditOwnAccountRequestSchema,
  EndRailSilenceResponseSchema,
  RailSilence,
  SandboxOutcome,
  SetOwnPayoutControlsRequestSchema,
  SetOwnPayoutControlsResponseSchema,
  SetPayoutOutcomeRequestSchema,
  SetRailSilenceRequestSchema,
  SetRailSilenceResponseSchema,
  SetScenarioRequestSchema,
  SetScenarioResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import {
  creditAccount,
  sendWebhookEvent,
  setListing,
  setPayoutControls,
  setPayoutOutcome,
  setRailSilence,
  setScenario,
} from "@disburse/forms/bodies/sandbox.ts";
import { invalidRequest } from "@disburse/kernel/refusal.ts";
import * as f from "../../openapi/fields.ts";
import { bodyRequest, type Call, type Clients, post, type Resource } from "../../openapi/route.ts";
import { account } from "../accounts.ts";
import { beneficiary } from "../beneficiaries.ts";
import { depositor } from "../depositors.ts";
import { payout } from "../payouts.ts";
import { quote } from "../quotes.ts";
import { delivery } from "../webhook-deliveries.ts";
import { sandboxData } from "../webhooks.ts";

const silence = f.record(
  SetRailSilenceResponseSchema,
  "SandboxRailSilence",
  "Behaviour of the simulated rails for your payouts.",
  {
    kind: f.word(RailSilence, "The behaviour of the rails."),
    until: f.moment("When it ends."),
  },
);

const silenceEnd = f.record(
  EndRailSilenceResponseSchema,
  "SandboxRailSilenceEnd",
  "The rails behave normally.",
  { ended_at: f.moment("Since when.") },
);

const share = (what: string, example: number) =>
  f.whole(`Of a hundred payouts, how many ${what}.`, example);

const scenario = f.record(
  SetScenarioResponseSchema,
  "SandboxScenario",
  "The outcomes of your payouts.",
  {
    seed: f.whole("The same seed has the same outcomes, in order.", 7),
    fail_percent: share("fail", 20),
    return_percent: share("succeed and come back", 10),
    doubt_percent: share("keep an unknown outcome", 0),
    max_delay_ms: f.optional(
      f.whole("Maximum time to an outcome; omitted if payouts take the usual time.", 500),
    ),
  },
);

const controls = f.record(
  SetOwnPayoutControlsResponseSchema,
  "SandboxPayoutControls",
  "The controls that apply to your payouts.",
  {
    approval_amounts: f.pairs("Minimum amounts from which payouts await approval, by currency.", {
      USD: "5000.00",
    }),
    approval_window_seconds: f.whole(
      "Number of seconds within which payouts to one account, or by one actor, add up; 0: each payout counts alone.",
      0,
    ),
    new_beneficiary_days: f.whole(
      "Payouts await approval if their beneficiary is newer than this number of days; 0: none.",
      3,
    ),
    approve_batches: f.flag("True if an actor other than its creator must approve a batch.", true),
    approval_lasts_seconds: f.whole(
      "Number of seconds after which an undecided approval expires.",
      86_400,
    ),
    duplicate_window_seconds: f.whole(
      "Number of seconds within which a repeated payout is refused; 0: off.",
      0,
    ),
  },
);

const path = "/api/v1/sandbox";

const bringTo =
  (outcome: SandboxOutcome) =>
  async (call: Call, { payoutSandbox }: Clients) => {
    const request =
      call.form === undefined ? call.change : bodyRequest(call, SetPayoutOutcomeRequestSchema);
    return (await payoutSandbox.setPayoutOutcome({ ...request, outcome })).payout;
  };

const failure = { form: setPayoutOutcome, optional: true } as const;
const refusals = ["RECORD_NOT_FOUND", "STATE_NOT_REACHABLE"] as const;

/** Sandbox routes on a merchant's own records. Live mode doesn't have them. */
export const sandbox: Resource = {
  scope: "payout",
  tag: "Sandbox",
  components: [silence, silenceEnd, scenario, controls],
  routes: [
    post("expireQuote", `${path}/quotes/:quoteId/expire`, {
      summary: "Expire quote",
      description:
        "Ends an open quote now: executing it is `QUOTE_EXPIRED`. `ALREADY_PROCESSED`: it was executed.",
      data: quote,
      scope: "quote:write",
      refusals: ["RECORD_NOT_FOUND", "ALREADY_PROCESSED"],
      answer: async ({ change }, { quoteSandbox }) =>
        (await quoteSandbox.expireQuoteNow(change)).quote,
    }),
    post("settlePayout", `${path}/payouts/:payoutId/settle`, {
      summary: "Settle payout",
      description:
        "Makes the simulated rail settle a payout now, even if its outcome was unknown. Returns the payout, `succeeded`; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another outcome.",
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.SETTLED),
    }),
    post("failPayout", `${path}/payouts/:payoutId/fail`, {
      summary: "Fail payout",
      description:
        "Makes the simulated rail reject a payout now, with a `failure_code` that you choose. Returns the payout, `failed`, with its money available again; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another outcome.",
      body: failure,
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.REJECTED),
    }),
    post("returnPayout", `${path}/payouts/:payoutId/return`, {
      summary: "Return payout",
      description:
        "Makes the simulated rail return a payout's money now, even if the payout settled days ago. Returns the payout, `failed` with `sub_status` `returned`; webhooks follow. `STATE_NOT_REACHABLE`: no rail has it, or it has failed.",
      body: failure,
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.RETURNED),
    }),
    post("leavePayoutInDoubt", `${path}/payouts/:payoutId/leave-in-doubt`, {
      summary: "Leave payout outcome unknown",
      description:
        "Makes the outcome of a payout unknown to the simulated rail: `sub_status` is `unknown` and the money stays held until you settle, fail or return it. `STATE_NOT_REACHABLE`: no rail has it, or its outcome is known.",
      data: payout,
      refusals,
      answer: bringTo(SandboxOutcome.UNKNOWN),
    }),
    post("setRailSilence", `${path}/rail-silence`, {
      summary: "Silence rails",
      description:
        "Simulates a fault of every rail for your payouts, for a time: rails don't answer, don't accept new payouts, or have no funds. Takes effect within a second, and a later call replaces it. Other merchants' payouts are not affected.",
      body: { form: setRailSilence },
      data: silence,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setRailSilence(bodyRequest(call, SetRailSilenceRequestSchema)),
    }),
    post("endRailSilence", `${path}/rail-silence/end`, {
      summary: "End silence of rails",
      description:
        "Rails do as ever again, and payouts that waited go on at once. Without a silence it changes nothing.",
      data: silenceEnd,
      answer: ({ change }, { payoutSandbox }) => payoutSandbox.endRailSilence(change),
    }),
    post("setScenario", `${path}/scenario`, {
      summary: "Set scenario",
      description:
        "Determines the outcomes of your payouts by a seed, so that you can repeat a test run: the n-th payout from now on always has the same outcome and delay. A payout whose `reference_id` begins with `sandbox-` keeps its own behaviour and is not counted. With shares of 0 all payouts settle. Takes effect within a second.",
      body: { form: setScenario },
      data: scenario,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setScenario(bodyRequest(call, SetScenarioRequestSchema)),
    }),
    post("setPayoutControls", `${path}/payout-controls`, {
      summary: "Set payout controls",
      description:
        "Sets which of your payouts await approval, and the duplicate guard. Replaces the previous controls; `{}` removes them all. Needs the scope `payout:control`, so that a key that only pays cannot remove the rules. Takes effect within a second. In live mode you set approval rules by `/approval-rules`, where a second actor loosens them, and an operator sets the duplicate guard.",
      scope: "payout:control",
      body: { form: setPayoutControls, optional: true },
      data: controls,
      answer: (call, { payoutSandbox }) =>
        payoutSandbox.setOwnPayoutControls(bodyRequest(call, SetOwnPayoutControlsRequestSchema)),
    }),
    post("creditAccount", `${path}/accounts/:accountId/credit`, {
      summary: "Credit account",
      description:
        "Credits an account of yours at once, as money that you sent would be; endpoints that name it get `account.credited`. The answer is the account.",
      body: { form: creditAccount },
      data: account,
      scope: "account:write",
      refusals: ["RECORD_NOT_FOUND", "SOURCE_ACCOUNT_CLOSED"],
      answer: async (call, { payoutSandbox }) =>
        (await payoutSandbox.creditOwnAccount(bodyRequest(call, CreditOwnAccountRequestSchema)))
          .account,
    }),
    post("reopenAccount", `${path}/accounts/:accountId/reopen`, {
      summary: "Reopen account",
      description: "Opens an account that you have closed. In live mode an operator does it.",
      data: account,
      scope: "account:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async ({ change }, { payoutSandbox }) =>
        (await payoutSandbox.reopenOwnAccount(change)).account,
    }),
    post("setBeneficiaryListing", `${path}/beneficiaries/:beneficiaryId/listing`, {
      summary: "List beneficiary",
      description:
        "Puts a beneficiary on a sanctions list of your own, so that its screening is `review` or `blocked`, or removes it from that list. A `pending` beneficiary is screened first. Returns the beneficiary with its `screening_status`; the sandbox's own list still applies to its name. Endpoints that name it get `beneficiary.screening_changed`.",
      body: { form: setListing },
      data: beneficiary,
      scope: "beneficiary:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { beneficiarySandbox }) => {
        const request = bodyRequest(call, SetBeneficiaryListingRequestSchema);
        return (await beneficiarySandbox.setBeneficiaryListing(request)).beneficiary;
      },
    }),
    post("setDepositorListing", `${path}/depositors/:depositorId/listing`, {
      summary: "List depositor",
      description:
        "The same of a depositor: `review` is its status `review`, `blocked` is `rejected`, and `cleared` takes it off the list.",
      body: { form: setListing },
      data: depositor,
      scope: "depositor:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { beneficiarySandbox }) =>
        (
          await beneficiarySandbox.setDepositorListing(
            bodyRequest(call, SetDepositorListingRequestSchema),
          )
        ).depositor,
    }),
    post("retryWebhookDelivery", `${path}/webhooks/deliveries/:deliveryId/retry`, {
      summary: "Retry webhook delivery",
      description:
        "Attempts a pending delivery now, regardless of its next attempt time and of its reason to wait. `STATE_NOT_REACHABLE`: it has ended, or is being attempted; use Redeliver a webhook to send it again.",
      data: delivery,
      scope: "webhook:write",
      refusals,
      answer: async ({ change }, { notifierSandbox }) =>
        (await notifierSandbox.retryDeliveryNow(change)).delivery,
    }),
    post("lapseWebhookDelivery", `${path}/webhooks/deliveries/:deliveryId/lapse`, {
      summary: "Lapse webhook delivery",
      description:
        "Lapses a delivery that your endpoint has not acknowledged, as if its 24 hours had passed: it is `exhausted` within a second, and can be redelivered or replayed. `STATE_NOT_REACHABLE`: it has ended, or was not attempted yet.",
      data: delivery,
      scope: "webhook:write",
      refusals,
      answer: async ({ change }, { notifierSandbox }) =>
        (await notifierSandbox.lapseDelivery(change)).delivery,
    }),
    post("sendWebhookEvent", `${path}/webhooks/endpoints/:endpointId/events`, {
      summary: "Send webhook event",
      description:
        "Sends an event of any type to one endpoint, regardless of its subscriptions. The event is the type's example in this reference, with the status and the fields that you choose, and is signed like every event. Its delivery has `test` set. The event feed does not contain it, and none of your other events waits for it. Fields that you don't choose fit the status: a payout that `failed` has a `failure_code`, for example. `INVALID_REQUEST`: the type has no such status or field, or the values can't occur together.",
      body: { form: sendWebhookEvent },
      data: delivery,
      scope: "webhook:write",
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { notifierSandbox }) => {
        const request = bodyRequest(call, SendSandboxEventRequestSchema);
        // The notifier refuses an unknown type, and fields whose kind is wrong.
        const found = sandboxData(request.transactionType, request) ?? { dataJson: "{}" };
        if ("violations" in found) return invalidRequest(found.violations);
        const sent = { ...request, exampleJson: found.dataJson };
        return (await notifierSandbox.sendSandboxEvent(sent)).delivery;
      },
    }),
  ],
};
