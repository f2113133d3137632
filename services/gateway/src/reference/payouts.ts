import { executePayout } from "@disburse/forms/transfer.ts";
import {
  momentParameter,
  parameter,
  textParameter,
  tokenParameter,
  wordParameter,
} from "../domain/list-query.ts";
import {
  meanings,
  payoutCauses,
  payoutStatuses,
  payoutSubStatuses,
  wordsOf,
} from "../routes/words.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import {
  component,
  decimal,
  decimalText,
  id,
  moment,
  object,
  recordTimes,
  ref,
  text,
  whole,
  word,
} from "./schema.ts";

const status = word(
  "`initiated` until the money has arrived or cannot; `succeeded` → `failed` where it came back.",
  wordsOf(payoutStatuses),
);
const subStatus = word(
  "Tells more: `unknown` is a payout that the rail cannot tell of yet, its money still held.",
  wordsOf(payoutSubStatuses),
);
const reference = text("The merchant's own reference; empty where none was given.", "order-1001");

/** One payout (service interface, "Payout"). */
export const payout = component("Payout", "A payout.", {
  id: id("po", "Payout id."),
  reference_id: reference,
  status,
  sub_status: subStatus,
  parent_id: id("mer", "The merchant's id, `merchant_id` in webhooks."),
  quote_id: id("qt", "Quote that was executed."),
  corridor_id: id("cor", "Corridor."),
  source_currency_code: text("Currency of the account.", "USD"),
  destination_currency_code: text("Currency of the beneficiary.", "USDC_ETH"),
  beneficiary_id: id("ben", "Who is paid."),
  source_amount: decimal("What the account pays, fees included.", "250.00"),
  receiving_amount: decimal("What the beneficiary receives.", "248.207250"),
  exchange_rate: decimal("Destination units per one source unit.", "0.9998"),
  total_fees: decimal("Fees of the whole payout.", "1.75"),
  fixed_cost_currency: text(
    "Currency of the fees: the source currency, `total_fees_currency` of the quote.",
    "USD",
  ),
  unique_transaction_reference: text(
    "Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`.",
    "",
  ),
  ...recordTimes,
});

const currency = (description: string, name: string, symbol: string) =>
  object(description, {
    name: text("Name of the currency.", name),
    symbol: text("Its symbol; the code of a crypto currency.", symbol),
  });

/** A line of the list (service interface, "Payout list item"). */
export const payoutItem = component("PayoutItem", "A payout as it stands in the list.", {
  id: id("po", "Payout id."),
  title: text("Name of the beneficiary.", "Jane Doe"),
  sub_title: text("Destination currency and transfer method.", "USDC_ETH CRYPTO"),
  status,
  sub_status: subStatus,
  transaction_type: word("What it is.", ["payout_session"]),
  transfer_method: word(
    "How it is sent; `CREDIT_REVERSAL` where it failed or came back and the money is credited.",
    ["CRYPTO", "SWIFT", "ACH", "LOCAL", "CREDIT_REVERSAL"],
  ),
  transfer_type: word("Money out.", ["debit"]),
  transaction_hash: text("Of a crypto payout that succeeded; else empty.", ""),
  bank_reference_number: text("Of a fiat payout that succeeded; else empty.", ""),
  beneficiary_name: text("Name of the beneficiary.", "Jane Doe"),
  beneficiary_account_number: text("Masked but for the last four.", "**************BeAed"),
  reference_note: reference,
  beneficiary_id: id("ben", "Who is paid."),
  total_cost: decimal("What the account pays, fees included.", "250.00"),
  amount: object("The amounts, as strings.", {
    source_amount: decimalText("What the account pays, fees included.", "250.00"),
    receiving_amount: decimalText("What the beneficiary receives.", "248.207250"),
    source_amount_currency: currency("Of the account.", "US Dollar", "$"),
    receiving_amount_currency: currency("Of the beneficiary.", "USD Coin", "USDC_ETH"),
  }),
  ...recordTimes,
});

const payoutPage = pageOf("PayoutPage", "transactions", ref(payoutItem));

const event = component("PayoutEvent", "A step of a payout.", {
  status,
  sub_status: subStatus,
  cause: word(
    "`executed`: by your request. `submitted`: handed to a rail. `accepted`: the rail has it. `outcome_unknown`: the rail cannot tell what became of it. `settled`, `rejected`, `returned`: the rail's word. `resolved`: decided by two persons of the operator's.",
    wordsOf(payoutCauses),
  ),
  version: whole("Of the payout by then: the `webhook-sequence` of its status.", 1, {
    minimum: 1,
  }),
  created_at: moment("When it took place."),
});

const eventPage = pageOf("PayoutEventPage", "events", ref(event));

const executed = component("ExecutedPayout", "A payout that was accepted.", {
  id: id("po", "Payout id."),
  message: word("The money is held and the payout is queued.", ["Transaction Queued"]),
});

/** What the list takes in its query. */
export const listPayoutsQuery = {
  ...pageQuery,
  status: parameter(wordParameter(meanings(payoutStatuses)), "Payouts of this status alone."),
  beneficiary_id: parameter(tokenParameter, "Payouts to this beneficiary alone."),
  reference_id: parameter(textParameter, "Payouts with this reference of the merchant alone."),
  quote_id: parameter(tokenParameter, "The payout of this quote alone."),
  source_currency_code: parameter(tokenParameter, "Payouts out of this currency alone."),
  destination_currency_code: parameter(tokenParameter, "Payouts into this currency alone."),
  created_from: parameter(momentParameter, "Made at this time or later."),
  created_to: parameter(momentParameter, "Made before this time."),
} as const;

export const executePayoutEndpoint: Endpoint = {
  id: "executePayout",
  method: "POST",
  path: "/api/v1/transfer/execute",
  scope: "payout:write",
  tag: "Payouts",
  summary: "Execute payout",
  description:
    "Pays a quote, once. The money is set aside before the answer; what becomes of it is told by webhooks and by reading the payout. A quote that was refused for balance or limits stays open. `succeeded` is not always the end: a bank can send money back, and `failed` follows.\n\n`ACCESS_FORBIDDEN` is said too where the beneficiary is not `cleared` (read its `screening_status`) or its corridor was closed.\n\nIn the sandbox the simulated rail rejects where `reference_id` begins with `sandbox-fail`, settles and then sends back where it begins with `sandbox-return`, and cannot tell until it is asked again where it begins with `sandbox-unknown`.",
  body: { form: executePayout },
  data: executed,
  refusals: [
    "INVALID_REQUEST",
    "RECORD_NOT_FOUND",
    "ACCESS_FORBIDDEN",
    "ALREADY_PROCESSED",
    "QUOTE_EXPIRED",
    "AMOUNT_NOT_WITHIN_LIMITS",
    "INSUFFICIENT_BALANCE",
  ],
};

export const listPayoutsEndpoint: Endpoint = {
  id: "listPayouts",
  method: "GET",
  path: "/api/v1/transfer/payouts",
  scope: "payout:read",
  tag: "Payouts",
  summary: "List payouts",
  description:
    "Newest first. `total_count` may lag by a second for no filter and for `status` alone; for other filters it is counted, up to 10,000.",
  query: listPayoutsQuery,
  data: payoutPage,
  refusals: ["INVALID_REQUEST"],
};

export const getPayoutEndpoint: Endpoint = {
  id: "getPayout",
  method: "GET",
  path: "/api/v1/transfer/payouts/:payoutId",
  scope: "payout:read",
  tag: "Payouts",
  summary: "Get payout",
  description: "One payout as it is now.",
  data: payout,
  refusals: ["RECORD_NOT_FOUND"],
};

export const listPayoutEventsEndpoint: Endpoint = {
  id: "listPayoutEvents",
  method: "GET",
  path: "/api/v1/transfer/payouts/:payoutId/events",
  scope: "payout:read",
  tag: "Payouts",
  summary: "List events (timeline)",
  description: "Every step of a payout with its time and cause, oldest first.",
  query: pageQuery,
  data: eventPage,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const payoutComponents = [payout, payoutItem, payoutPage, event, eventPage, executed];
