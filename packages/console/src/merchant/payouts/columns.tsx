import type { PayoutItem } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { longColumn, momentColumn, moneyColumn, textColumn } from "../../ui/columns.tsx";
import { PayeeLink, PayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";

const words = t.payouts;

/** Shows the sub-status if it is more specific than the status. */
export function PayoutState({
  status,
  sub_status: sub,
}: Pick<PayoutItem, "status" | "sub_status">) {
  const label = words.subStatuses[sub] ?? words.statuses[status] ?? sub;
  return <StateBadge state={sub} words={{ [sub]: label }} />;
}

/**
 * Returns the payment method. `transfer_method` is `CREDIT_REVERSAL` for a failed payout; the subtitle
 * is currency and method of every payout.
 */
const methodOf = (row: PayoutItem) => row.sub_title.slice(row.sub_title.lastIndexOf(" ") + 1);

export const payoutColumns: readonly Column<PayoutItem>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  textColumn("beneficiary", words.beneficiary, (row) => row.beneficiary_name, {
    cell: ({ id, beneficiary_name: name }) => <PayoutLink id={id}>{name}</PayoutLink>,
  }),
  textColumn("status", t.list.status, (row) => row.status, {
    cell: (row) => <PayoutState {...row} />,
  }),
  moneyColumn("sent", words.sent, ({ amount }) => [
    amount.source_amount,
    amount.source_amount_currency.symbol,
  ]),
  moneyColumn(
    "received",
    words.received,
    ({ status, amount: { receiving_amount: amount, receiving_amount_currency: currency } }) =>
      status === "failed" ? [] : [amount, currency.symbol],
    {},
  ),
  longColumn("reference", words.reference, (row) => row.reference_note, { width: "wide" }),
  textColumn("maker", t.list.makers, (row) => actorName(row.created_by), { width: "wide" }),
  textColumn("method", words.method, methodOf, { width: "wide" }),
];

const fileColumn = (id: string, textOf: (row: PayoutItem) => string) => textColumn(id, id, textOf);

/** Additional columns of the CSV file. */
export const payoutFileColumns: readonly Column<PayoutItem>[] = [
  textColumn("id", t.list.id, (row) => row.id),
  ...payoutColumns,
  textColumn("decider", t.list.deciders, (row) => actorName(row.decided_by)),
  fileColumn("source_currency", (row) => row.amount.source_amount_currency.name),
  fileColumn("destination_currency", (row) => row.amount.receiving_amount_currency.name),
  fileColumn("sub_status", (row) => row.sub_status),
  fileColumn("beneficiary_id", (row) => row.beneficiary_id),
  fileColumn("beneficiary_account_number", (row) => row.beneficiary_account_number),
  fileColumn("transaction_hash", (row) => row.transaction_hash),
  fileColumn("bank_reference_number", (row) => row.bank_reference_number),
  fileColumn("failure_code", (row) => row.failure_code),
];

/** A scheduled payout, or a line of a batch. */
type Order = {
  readonly beneficiary_id: string;
  readonly source_amount?: string;
  readonly source_currency_code: string;
  readonly receiving_amount?: string;
  readonly destination_currency_code: string;
};

export const orderColumns = (payeeName: (id: string) => string): readonly Column<Order>[] => [
  textColumn("beneficiary", words.beneficiary, (row) => payeeName(row.beneficiary_id), {
    cell: ({ beneficiary_id: id }) => <PayeeLink id={id}>{payeeName(id)}</PayeeLink>,
  }),
  moneyColumn("sent", words.sent, (row) => [row.source_amount, row.source_currency_code]),
  moneyColumn(
    "received",
    words.received,
    (row) => [row.receiving_amount, row.destination_currency_code],
    {},
  ),
];
