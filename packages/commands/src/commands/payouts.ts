import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Argument, CallCommand, Option } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const payouts = PayoutService.method;
const operations = PayoutOperatorService.method;

const payout: Argument = {
  name: "payout",
  field: "payout_id",
  about: "the payout's id, po_…",
  source: { list: "payouts list", value: "id", name: "beneficiary_name" },
};
const filters: readonly Option[] = [
  { name: "status", field: "status", about: "of this status" },
  { name: "sub-status", field: "sub_status", about: "of this sub-status" },
  { name: "failure-code", field: "failure_code", about: "failed with this code" },
  { name: "account", field: "account_id", about: "from this account" },
  { name: "beneficiary", field: "beneficiary_id", about: "to this beneficiary" },
  { name: "reference", field: "reference_id", about: "with this reference_id of the merchant" },
  { name: "quote", field: "quote_id", about: "of this quote" },
  { name: "batch", field: "batch_id", about: "of this batch" },
  { name: "from-currency", field: "source_currency_code", about: "from this currency" },
  { name: "to-currency", field: "destination_currency_code", about: "to this currency" },
  {
    name: "created-from",
    field: "created_from",
    value: "time",
    about: "created at this time or later",
  },
  { name: "created-to", field: "created_to", value: "time", about: "created before this time" },
  {
    name: "updated-from",
    field: "updated_from",
    value: "time",
    about: "last changed at this time or later",
  },
  {
    name: "order-by",
    field: "order_by",
    about:
      "newest, oldest, lowest or highest; an order by amount needs the currency it is paid from",
  },
];

const columns = [
  ...["id", "status", "sub_status", "source_amount", ["source_currency_code", "from"] as const],
  ...["receiving_amount", ["destination_currency_code", "to"] as const],
  ...["beneficiary_name", "reference_id", "created_at"],
];

export const payoutCommands: readonly CallCommand[] = [
  {
    name: "payouts list",
    summary: "a merchant's payouts",
    examples: ["payouts list mer_01k… --status failed", "payouts list mer_01k… --all --json"],
    method: payouts.listPayouts,
    arguments: [merchant],
    options: filters,
    show: { list: "payouts", columns },
  },
  {
    name: "payouts get",
    summary: "one payout",
    examples: ["payouts get mer_01k… po_01k…"],
    method: payouts.getPayout,
    arguments: [merchant, payout],
    show: { record: "payout" },
  },
  {
    name: "payouts cancel",
    summary: "on behalf of its merchant, cancel a payout before a rail pays it",
    examples: ["payouts cancel mer_01k… po_01k…"],
    method: payouts.cancelPayout,
    arguments: [merchant, payout],
    show: { record: "payout" },
  },
  {
    name: "payouts reject",
    summary: "on behalf of its merchant, reject a payout that awaits approval",
    details:
      "It is cancelled, and its held money released. The actor that executed it can't reject it.",
    examples: ['payouts reject mer_01k… po_01k… --reason "the invoice is disputed"'],
    method: payouts.rejectPayout,
    arguments: [merchant, payout],
    options: [{ name: "reason", field: "reason", about: "the reason", isRequired: true }],
    show: { record: "payout" },
  },
  {
    name: "payouts timeline",
    summary: "the steps of a payout and the messages between it and its rail",
    examples: ["payouts timeline po_01k…"],
    method: operations.getPayoutJournal,
    arguments: [payout],
    show: {
      list: "entries",
      columns: ["created_at", "kind", "stage", "version", "rail", "actor.id", "detail"],
    },
  },
  {
    name: "payouts exceptions",
    summary: "exceptions: payouts that need a person, longest waiting first",
    examples: ["payouts exceptions", "payouts exceptions --kind unknown"],
    method: operations.listPayoutExceptions,
    options: [{ name: "kind", field: "kind", about: "with this kind of exception" }],
    show: {
      list: "exceptions",
      columns: [
        ...[["payout.id", "id"] as const, "kind", "since", "rail"],
        ...[["payout.merchant_id", "merchant"] as const, "payout.source_amount"],
        ...[["payout.source_currency_code", "currency"] as const, "proposal_id"],
      ],
    },
  },
  {
    name: "payouts resolve",
    summary: "propose the outcome of a payout with an exception",
    details:
      "Nothing changes until another person approves it. Then it takes effect like a report of the\n" +
      "rail: settled posts the held money; rejected and returned give it back to the merchant.",
    examples: [
      'payouts resolve po_01k… --outcome settled --reference WIRE-1 --reason "on the statement of today"',
    ],
    method: operations.resolvePayout,
    arguments: [payout],
    options: [
      {
        name: "outcome",
        field: "outcome",
        about:
          "settled: the beneficiary has the money; rejected: the rail did not and will not pay; returned: it was paid and came back",
        isRequired: true,
      },
      {
        name: "reference",
        field: "transaction_reference",
        about: "the transaction's hash or the bank's reference; required if settled",
      },
      { name: "reason", field: "reason", about: "the evidence", isRequired: true },
    ],
    show: { record: "payout" },
  },
];
