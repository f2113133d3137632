import type { PayoutItem } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import { Money } from "../../ui/money.tsx";
import { PayoutLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";

const words = t.payouts;

/** Shows the sub-status if it is more specific than the status. */
export function PayoutState({
  status,
  sub_status: sub,
}: Pick<PayoutItem, "status" | "sub_status">) {
  return (
    <StateBadge
      state={sub}
      words={{ [sub]: words.subStatuses[sub] ?? words.statuses[status] ?? sub }}
    />
  );
}

/**
 * Returns the payment method. `transfer_method` is `CREDIT_REVERSAL` for a failed payout; the subtitle
 * is currency and method of every payout.
 */
const methodOf = (row: PayoutItem) => row.sub_title.slice(row.sub_title.lastIndexOf(" ") + 1);

export const payoutColumns: readonly Column<PayoutItem>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  {
    id: "beneficiary",
    header: words.beneficiary,
    cell: ({ id, beneficiary_name: name }) => <PayoutLink id={id}>{name}</PayoutLink>,
    csv: (row) => row.beneficiary_name,
  },
  {
    id: "status",
    header: t.list.status,
    cell: (row) => <PayoutState {...row} />,
    csv: (row) => row.status,
  },
  {
    id: "sent",
    header: words.sent,
    align: "end",
    width: "first",
    cell: ({ amount }) => (
      <Money amount={amount.source_amount} currency={amount.source_amount_currency.symbol} />
    ),
    csv: (row) => row.amount.source_amount,
  },
  {
    id: "received",
    header: words.received,
    align: "end",
    cell: ({ status, amount }) =>
      status === "failed" ? (
        "–"
      ) : (
        <Money
          amount={amount.receiving_amount}
          currency={amount.receiving_amount_currency.symbol}
        />
      ),
    csv: ({ status, amount }) => (status === "failed" ? "" : amount.receiving_amount),
  },
  {
    id: "reference",
    header: words.reference,
    width: "wide",
    cell: ({ reference_note: reference }) => <span className="break">{reference}</span>,
    csv: (row) => row.reference_note,
  },
  textColumn("maker", t.list.makers, (row) => actorName(row.created_by), { width: "wide" }),
  textColumn("method", words.method, methodOf, { width: "wide" }),
];

/** Additional columns of the CSV file. */
export const payoutFileColumns: readonly Column<PayoutItem>[] = [
  { id: "id", header: t.list.id, csv: (row) => row.id },
  ...payoutColumns,
  textColumn("decider", t.list.deciders, (row) => actorName(row.decided_by)),
  ...(
    [
      ["source_currency", (row) => row.amount.source_amount_currency.name],
      ["destination_currency", (row) => row.amount.receiving_amount_currency.name],
      ["sub_status", (row) => row.sub_status],
      ["beneficiary_id", (row) => row.beneficiary_id],
      ["beneficiary_account_number", (row) => row.beneficiary_account_number],
      ["transaction_hash", (row) => row.transaction_hash],
      ["bank_reference_number", (row) => row.bank_reference_number],
      ["failure_code", (row) => row.failure_code],
    ] as const satisfies readonly (readonly [string, (row: PayoutItem) => string])[]
  ).map(([id, csv]) => ({ id, header: id, csv })),
];
