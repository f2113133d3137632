import {
  ExecutePayoutRequestSchema,
  ExecutePayoutResponseSchema,
  type ListedPayout,
  ListedPayoutSchema,
  ListPayoutEventsResponseSchema,
  ListPayoutsRequestSchema,
  ListPayoutsResponseSchema,
  type Payout,
  PayoutCause,
  PayoutEventSchema,
  PayoutOrderBy,
  PayoutSchema,
  PayoutStatus,
  PayoutSubStatus,
  ReissuePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { executePayout, reissuePayout } from "@disburse/forms/bodies/transfer.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import { failureCodes } from "@disburse/kernel/failure.ts";
import { metadataKey } from "@disburse/kernel/metadata.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, get, post, type Resource } from "../openapi/route.ts";
import { accountingRoute } from "./parts/accounting-file.ts";
import { actor, createdBy, createdByInWebhook, decidedBy } from "./parts/actor.ts";
import { executeDryRun } from "./parts/dry-run.ts";
import { amounts, approval, approvalRoutes } from "./parts/payouts.ts";
import { exportRoute } from "./parts/payouts-file.ts";
import {
  expansionQuery,
  listExpanded,
  listExpansionQuery,
  readExpanded,
  withExpansions,
} from "./payout-expansion.ts";

const status = f.word(
  PayoutStatus,
  "`initiated` until the money has arrived or the payout has failed; `succeeded` → `failed` if the money is returned.",
);
const subStatus = f.word(
  PayoutSubStatus,
  "More detail: `unknown` means that the rail does not know the outcome yet; the money is still held. `awaiting_funds`: accepted and not sent yet; the operator must fund the rail, and you need not do anything. `awaiting_approval`: another member or API key of yours must approve it; see `approval`. `awaiting_balance`: your account has too little money, and the payout waits for it (`queue_if_low_balance`); nothing is held.",
);
const reference = f.text("The merchant's own reference; empty if none was given.", "order-1001");

/** Fields that a payout copies from its quote. The webhook payload has the same fields. */
const transfer = {
  quote_id: f.id("qt", "Quote that was executed."),
  corridor_id: f.id("cor", "Corridor."),
  source_currency_code: f.text("Currency of the account.", "USD"),
  destination_currency_code: f.text("Currency of the beneficiary.", "USDC_ETH"),
  beneficiary_id: f.id("ben", "The beneficiary of the payment."),
  source_amount: f.decimal("Amount that the account pays, including fees.", "250.00"),
  receiving_amount: f.decimal("Amount that the beneficiary receives.", "248.207250"),
  exchange_rate: f.decimal("Destination units per one source unit.", "0.9998"),
  total_fees: f.decimal("Fees of the whole payout.", "1.75"),
} as const;

const transactionReference = f.text(
  "Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`.",
  "",
);

const failureCode = f.text(
  `Why it failed: one of \`${failureCodes.join("`, `")}\`; codes may be added. A payout that waited for balance fails with the code of Request for quote or Execute, or \`COST_ABOVE_MAXIMUM\`. Empty unless \`failed\`.`,
  "",
);
const returnedReference = f.text(
  "Transaction hash or bank reference of the payment that came back; empty unless `returned`.",
  "",
);
const metadata = f.pairs("Your own data, sent with Execute payout.", metadataField.example);

/** Fields of a payout that was not executed directly. They identify the order that caused it. */
const orderedAs = {
  scheduled_payout_id: f.text("The scheduled payout that created it; otherwise empty.", ""),
  batch_id: f.text("The batch that it belongs to; otherwise empty.", ""),
} as const;

/** Fields that describe a failure, in a payout and in its events. */
const failure = {
  failure_code: failureCode,
  failure_message: f.text("The failure code as an English sentence.", ""),
  rail_code: f.text("The rail's own code, such as `AC04` or `R02`; empty if it gave none.", ""),
} as const;

/** Fields of a payout that waits, or ended waiting, for its account's balance. */
const waiting = {
  expires_at: f.optional(
    f.moment(
      "When it fails if the money hasn't come. Only of a payout that waits, or ended waiting, for balance.",
    ),
  ),
  max_source_amount: f.optional(
    f.decimal("Maximum amount that the account pays when it is quoted again.", "250.00"),
  ),
} as const;

/** A payout (service interface, "Payout"; decisions §6). */
const payoutRecord = f.record(PayoutSchema, "Payout", "A payout.", {
  id: f.id("po", "Payout id."),
  reference_id: reference,
  status,
  sub_status: subStatus,
  parent_id: f.from("merchantId", f.id("mer", "The merchant's id, `merchant_id` in webhooks.")),
  ...transfer,
  fixed_cost_currency: f.from(
    "sourceCurrencyCode",
    f.text("Currency of the fees: the source currency, `total_fees_currency` of the quote.", "USD"),
  ),
  unique_transaction_reference: transactionReference,
  ...failure,
  returned_reference: returnedReference,
  account_id: f.id("acc", "The account that pays."),
  receiving_fixed: f.flag(
    "If your request for the quote gave `receiving_amount`; otherwise it gave `source_amount`. Reissue payout keeps that amount.",
    false,
  ),
  metadata,
  ...orderedAs,
  expected_settlement_at: f.momentOrNone(
    "Expected time of payment on its rail. Empty until it is submitted, if the rail gives no time, and if it failed.",
  ),
  approval: f.optional(f.ref(approval)),
  ...waiting,
  reissue_of: f.text("The payout that this one pays again (Reissue payout); otherwise empty.", ""),
  reissued_as: f.text("The payout that pays this one again; otherwise empty.", ""),
  ...createdBy,
  ...f.recordTimes,
});

/** A payout with its related records. */
export const payout = withExpansions(payoutRecord, ["beneficiary", "quote"]);

/** Payload of payout webhooks (service interface, "Events"). */
export const payoutWebhook: f.NamedSchema = {
  name: "PayoutWebhookData",
  schema: f.objectSchema("The payout as it was when its status changed.", {
    id: f.id("po", "Payout id."),
    reference_id: f.text("Your own reference; empty if none was given.", "order-1001"),
    status: f.word(PayoutStatus, "The status that it changed to."),
    merchant_id: f.id("mer", "Your id."),
    ...transfer,
    receiving_amount: f.decimal("Amount that the beneficiary receives.", "248.200350"),
    exchange_rate: f.decimal("Rate when the quote was created.", "0.9998"),
    fixed_cost_currency: f.text("Currency of the fees.", "USD"),
    unique_transaction_reference: transactionReference,
    ...f.recordTimes,
    sub_status: f.word(PayoutSubStatus, "The sub-status that it changed to."),
    failure_code: failureCode,
    returned_reference: returnedReference,
    ...createdByInWebhook,
  }),
};

const isCrypto = ({ transferMethod }: Pick<ListedPayout, "transferMethod">) =>
  transferMethod === "CRYPTO";

/** A payout in the list (service interface, "Payout list item"; decisions §6). */
const payoutItemRecord = f.record(ListedPayoutSchema, "PayoutItem", "A payout as it is listed.", {
  id: f.id("po", "Payout id."),
  title: f.from("beneficiaryName", f.text("Name of the beneficiary.", "Jane Doe")),
  sub_title: f.from(
    ({ destinationCurrencyCode, transferMethod }) => `${destinationCurrencyCode} ${transferMethod}`,
    f.text("Destination currency and transfer method.", "USDC_ETH CRYPTO"),
  ),
  status,
  sub_status: subStatus,
  transaction_type: f.from(
    () => "payout_session",
    f.oneOf("Type of the transaction.", ["payout_session"]),
  ),
  transfer_method: f.from(
    (its) => (its.status === PayoutStatus.FAILED ? "CREDIT_REVERSAL" : its.transferMethod),
    f.oneOf(
      "Payment method; `CREDIT_REVERSAL` if it failed or was returned and the money is credited.",
      ["CRYPTO", "SWIFT", "ACH", "LOCAL", "SEPA", "CREDIT_REVERSAL"],
    ),
  ),
  transfer_type: f.from(() => "debit", f.oneOf("Money out.", ["debit"])),
  transaction_hash: f.from(
    (its) => (isCrypto(its) ? its.uniqueTransactionReference : ""),
    f.text("Transaction hash of a crypto payout that succeeded; otherwise empty.", ""),
  ),
  bank_reference_number: f.from(
    (its) => (isCrypto(its) ? "" : its.uniqueTransactionReference),
    f.text("Bank reference of a fiat payout that succeeded; otherwise empty.", ""),
  ),
  beneficiary_name: f.text("Name of the beneficiary.", "Jane Doe"),
  beneficiary_account_number: f.from(
    "beneficiaryAccountNumberMasked",
    f.text("Masked but for the last four.", "**************BeAed"),
  ),
  reference_note: f.from("referenceId", reference),
  beneficiary_id: f.id("ben", "The beneficiary of the payment."),
  total_cost: f.from(
    "sourceAmount",
    f.decimal("Amount that the account pays, including fees.", "250.00"),
  ),
  amount: f.from((its) => its, amounts),
  ...failure,
  returned_reference: returnedReference,
  account_id: f.id("acc", "The account that pays."),
  metadata,
  ...orderedAs,
  ...createdBy,
  ...decidedBy,
  ...f.recordTimes,
});

/** A listed payout with its related records. */
const payoutItem = withExpansions(payoutItemRecord, ["beneficiary"]);

const payoutPage = f.pageOf(
  ListPayoutsResponseSchema,
  "PayoutPage",
  "payouts",
  payoutItem,
  "transactions",
);

const event = f.record(PayoutEventSchema, "PayoutEvent", "A step of a payout.", {
  status,
  sub_status: subStatus,
  cause: f.word(
    PayoutCause,
    "`executed`: by your request. `submitted`: handed to a rail. `accepted`: taken by the rail. `outcome_unknown`: the rail does not know the outcome. `settled`, `rejected`, `returned`: reported by the rail. `resolved`: decided by two people at the operator. `cancelled`: by your request. `awaiting_funds`: not sent yet, the operator has to fund the rail. `approved`, `approval_rejected`, `approval_expired`: decided by another of your people or API keys, or by no one in time. `reissued`: another payout pays it again; its status stays. `awaiting_balance`: it began to wait for the balance of your account. `not_paid`: it waited, and could not be paid.",
  ),
  version: f.whole("Version of the payout at this step: the `webhook-sequence` of its status.", 1, {
    minimum: 1,
  }),
  ...failure,
  reissue_of: f.text("For `executed`, the payout that this one pays again; otherwise empty.", ""),
  reissued_as: f.text("For `reissued`, the payout that pays this one again; otherwise empty.", ""),
  created_at: f.moment("When it took place."),
});

const eventPage = f.pageOf(ListPayoutEventsResponseSchema, "PayoutEventPage", "events", event);

const isWaiting = (subStatus: PayoutSubStatus) => subStatus === PayoutSubStatus.AWAITING_BALANCE;

const executed = f.record(ExecutePayoutResponseSchema, "ExecutedPayout", "An accepted payout.", {
  id: f.from("payoutId", f.id("po", "Payout id.")),
  message: f.from(
    ({ subStatus }) => (isWaiting(subStatus) ? "Awaiting Balance" : "Transaction Queued"),
    f.oneOf("The money is held and the payout is queued, or the payout waits for balance.", [
      "Transaction Queued",
      "Awaiting Balance",
    ]),
  ),
  status: f.from(
    ({ subStatus }) => (isWaiting(subStatus) ? "initiated" : ""),
    f.optional(f.oneOf("Only if the payout waits for balance.", ["initiated"])),
  ),
  sub_status: f.from(
    ({ subStatus }) => (isWaiting(subStatus) ? "awaiting_balance" : ""),
    f.optional(f.oneOf("Only if the payout waits for balance.", ["awaiting_balance"])),
  ),
  ...waiting,
});

/** Stated for each filter without an index. */
const readsMore = "a page reads at most 10,000 payouts for it";

/** With these a payout fails that waited for balance. */
const waitFailures = [
  ...["INSUFFICIENT_BALANCE", "COST_ABOVE_MAXIMUM", "BENEFICIARY_NOT_READY", "LIMIT_EXCEEDED"],
  ...["POSSIBLE_DUPLICATE", "ACCESS_FORBIDDEN", "CORRIDOR_NOT_ACTIVE", "RECORD_NOT_FOUND"],
  ...["AMOUNT_NOT_WITHIN_LIMITS", "SOURCE_ACCOUNT_CLOSED"],
] as const;

/** Filters and order of the list and its file. */
const filters = q.queryOf(ListPayoutsRequestSchema, {
  status: q.word(PayoutStatus, "Only payouts of this status."),
  sub_status: q.word(PayoutSubStatus, "Only payouts of this sub-status."),
  failure_code: q.choice(
    [...failureCodes, ...waitFailures],
    `Only failed payouts with this code; ${readsMore}.`,
  ),
  account_id: q.id("account", `Only payouts from this account; ${readsMore}.`),
  beneficiary_id: q.id("beneficiary", "Only payouts to this beneficiary."),
  reference_id: q.text("Only payouts with this `reference_id`."),
  quote_id: q.id("quote", "Only the payout of this quote."),
  source_currency_code: q.token("Only payouts from this source currency."),
  destination_currency_code: q.token("Only payouts to this destination currency."),
  beneficiary_name: q.text("Only payouts to this whole name, in any case, accents or not."),
  amount_from: q.token("Only payouts of at least this amount; needs `source_currency_code`."),
  amount_to: q.token("Only payouts of at most this amount; needs `source_currency_code`."),
  batch_id: q.id("batch", "Only payouts of this batch."),
  unique_transaction_reference: q.text(
    "Only the payout of this transaction hash or bank reference, also if it was returned.",
  ),
  metadata: q.pairs(
    metadataKey,
    "Only payouts with these pairs of key and value: `metadata=order=1001`.",
  ),
  ...q.created,
  updated_from: q.bound(`Last changed at or after this time; ${readsMore}.`),
  sort: q.oneOf(
    {
      "-created_at": PayoutOrderBy.NEWEST,
      created_at: PayoutOrderBy.OLDEST,
      amount: PayoutOrderBy.LOWEST,
      "-amount": PayoutOrderBy.HIGHEST,
    },
    "`-created_at` (newest first) by default. An order by the source amount needs `source_currency_code`.",
    "orderBy",
  ),
});

export const payouts: Resource = {
  scope: "payout",
  tag: "Payouts",
  components: [actor, approval, payout, payoutItem, payoutPage, event, eventPage, executed],
  routes: [
    post("executePayout", "/api/v1/transfer/execute", {
      summary: "Execute payout",
      description:
        "Executes a quote, once. The money is held before the response is sent; webhooks and Get payout report the outcome. If your approval rules require it, the payout waits with `sub_status` `awaiting_approval`. They consider its amount, or its sum with other payouts to the same account or by the same actor. A quote that was refused for balance or limits stays open. `succeeded` is not always final: a bank can return the money, and the payout becomes `failed`.\n\n`ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked` (read its `screening_status`) or its corridor was closed. While the `screening_status` is `pending`, the error is `BENEFICIARY_NOT_READY`: try again after `Retry-After`. `LIMIT_EXCEEDED`: your payouts, or those to this account or wallet, have reached a limit of count or amount in an hour or a day; the message says which limit, and when it will allow the payout.\n\n`POSSIBLE_DUPLICATE`: your account has the duplicate guard (the operator can turn it on), and an earlier payout matches. That payout, the error's `payout_id`, was executed within the guard's window and has not failed. It has the same account or wallet, the same non-empty `reference_id` and the same source or receiving amount. The guard ignores case, white space and look-alike letters in the reference, and compares the account, not the beneficiary record. Execute the quote with `allow_duplicate` if you mean to pay twice.\n\n`queue_if_low_balance`: if the account has too little money, the payout waits for it instead of `INSUFFICIENT_BALANCE`. The response has `sub_status` `awaiting_balance`, `expires_at` and `max_source_amount`. Nothing is held, and the quote is used up. When the account has the money, the payout is quoted again and paid under the same id, within `max_source_amount`. The oldest waiting payout of an account comes first; a smaller one doesn't overtake it. A price above the maximum is tried again every ten minutes. At `expires_at` it fails with `INSUFFICIENT_BALANCE` or `COST_ABOVE_MAXIMUM`, its last reason. Approval rules, limits and the duplicate guard apply when it is paid. Cancel payout ends the wait.\n\nIn the sandbox the simulated rail rejects a payout whose `reference_id` begins with `sandbox-fail`, settles and then returns one with `sandbox-return`, and does not know the outcome of one with `sandbox-unknown` until it is polled again.",
      body: { form: executePayout },
      isBoundByService: true,
      dryRun: executeDryRun,
      data: executed,
      refusals: [
        "INVALID_REQUEST",
        "RECORD_NOT_FOUND",
        "ACCESS_FORBIDDEN",
        "BENEFICIARY_NOT_READY",
        "ALREADY_PROCESSED",
        "QUOTE_EXPIRED",
        "AMOUNT_NOT_WITHIN_LIMITS",
        "POSSIBLE_DUPLICATE",
        "LIMIT_EXCEEDED",
        "SOURCE_ACCOUNT_CLOSED",
        "INSUFFICIENT_BALANCE",
      ],
      answer: (call, { payout }) =>
        payout.executePayout(bodyRequest(call, ExecutePayoutRequestSchema)),
    }),
    post("cancelPayout", "/api/v1/transfer/payouts/:payoutId/cancel", {
      summary: "Cancel payout",
      description:
        "Cancels a payout that is `queued`, that waits for balance, or that its rail has not begun to pay, such as one in a bank batch that has not been sent. Returns the payout, `failed` with `sub_status` `cancelled`. Its money is available again, a webhook follows, and its quote stays used. A repeat returns the same response. `NOT_CANCELLABLE`: its rail is paying it, or it is final. `SERVICE_UNAVAILABLE`: its rail did not answer; repeat the request, or read the payout.\n\nIn the sandbox a payout whose `reference_id` begins with `sandbox-batch` waits for its batch for ten seconds.",
      data: payout,
      refusals: ["RECORD_NOT_FOUND", "NOT_CANCELLABLE"],
      answer: async ({ change }, { payout }) => (await payout.cancelPayout(change)).payout,
    }),
    ...approvalRoutes(payout),
    reissueRoute(payout),
    get("listPayouts", "/api/v1/transfer/payouts", {
      summary: "List payouts",
      description:
        "Newest first, or as `sort` says. Without a filter, or with `status` alone, `total_count` may lag by a second. With other filters, counting stops at 10,000. A cursor belongs to its `sort` and filters.\n\n`failure_code`, `account_id` and `updated_from` have no index, and neither have the filters of an order by amount other than its currency and amounts. With one of these a page reads at most 10,000 payouts that match the others. So it can have fewer than `limit`, even none, although `next_cursor` is not empty; and `total_count` is that of the first 10,000.\n\n`expand[]=beneficiary` includes each payout's beneficiary, as in Get beneficiary; it needs the scope `beneficiary:read`.",
      query: { ...q.page, ...filters, ...listExpansionQuery },
      data: payoutPage,
      answer: listExpanded,
    }),
    exportRoute(payoutItemRecord, filters),
    accountingRoute,
    get("getPayout", "/api/v1/transfer/payouts/:payoutId", {
      summary: "Get payout",
      description:
        "One payout as it is now. `expand[]=beneficiary` and `expand[]=quote` include these records, as in Get beneficiary and Get quote; each needs its own read scope.",
      query: expansionQuery,
      data: payout,
      answer: readExpanded,
    }),
    get("listPayoutEvents", "/api/v1/transfer/payouts/:payoutId/events", {
      summary: "List events (timeline)",
      description: "Every step of a payout with its time and cause, oldest first.",
      query: q.page,
      data: eventPage,
      answer: ({ request }, { payout }) => payout.listPayoutEvents(request),
    }),
  ],
};

/**
 * Builds the route that pays a payout again. It returns the new payout
 * (docs/decisions/0062-reissue.md).
 */
function reissueRoute(payout: f.Component<Payout>): Resource["routes"][number] {
  return post("reissuePayout", "/api/v1/transfer/payouts/:payoutId/reissue", {
    summary: "Reissue payout",
    description:
      "Pays again a payout that is `failed` with `sub_status` `returned` or `rejected`. A payout can be reissued once. The request creates a new quote for the same account, currencies and amount (the source or the receiving amount, as in your first request) and executes it at once. Returns the new payout, whose `reissue_of` names the earlier one; the earlier payout's `reissued_as` names the new one. A repeat returns the same response; any other request fails with `ALREADY_PROCESSED`, with the new payout as `payout_id`.\n\nWithout a body the payout stays the same, at the current rate. Send `beneficiary_id` to pay a corrected account, `max_source_amount` to limit its cost, `reference_id` or `metadata` to change yours. Beneficiary, corridor, limits, balance, approval rules and the duplicate guard apply as for Execute payout; the earlier payout does not count as a duplicate. After a refusal you can still reissue it.\n\n`SERVICE_UNAVAILABLE` is also returned while another request reissues the same payout: repeat it.\n\nIn the sandbox a payout with a `reference_id` such as `sandbox-return` is returned again: send another one.",
    body: { form: reissuePayout, optional: true },
    data: payout,
    refusals: [
      "INVALID_REQUEST",
      "RECORD_NOT_FOUND",
      "ALREADY_PROCESSED",
      "STATE_NOT_REACHABLE",
      "ACCESS_FORBIDDEN",
      "BENEFICIARY_NOT_READY",
      "CORRIDOR_NOT_ACTIVE",
      "AMOUNT_NOT_WITHIN_LIMITS",
      "POSSIBLE_DUPLICATE",
      "LIMIT_EXCEEDED",
      "SOURCE_ACCOUNT_CLOSED",
      "INSUFFICIENT_BALANCE",
      "QUOTE_EXPIRED",
    ],
    answer: async (call, { payout }) =>
      (await payout.reissuePayout(bodyRequest(call, ReissuePayoutRequestSchema))).payout,
  });
}
