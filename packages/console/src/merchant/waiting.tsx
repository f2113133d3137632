import type { Batch, PayoutItem, ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { batches, payouts, scheduledPayouts } from "../api/lists.ts";
import { type ListOf, readAll } from "../api/pages.ts";
import { t } from "../catalogue/en.ts";
import { Awaited } from "../ui/awaited.tsx";
import { textColumn } from "../ui/columns.tsx";
import { ExportButton, wholeList } from "../ui/export-button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { moneyText } from "../ui/rules/amounts.ts";
import { type Column, DataTable } from "../ui/table.tsx";

const words = t.payouts.waiting;

/** Something that awaits the decision of another person of the team. */
type Waiting = {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly amount: string;
  readonly reference: string;
  readonly link: ReactNode;
};

/** Scheduled payouts and batches publish no events, so the page polls. */
const readAgainMs = 10_000;
/** The queue shows at most this many of each kind. */
const shownMax = 500;

const queueOf = <T,>(
  list: ListOf<T>,
  query: Record<string, string>,
  row: (item: T) => Waiting,
) => ({
  queryKey: [list.path, "waiting"],
  queryFn: async () => (await readAll(list, query, shownMax)).items.map(row),
  refetchInterval: readAgainMs,
});

const payoutRow = (payout: PayoutItem): Waiting => ({
  id: payout.id,
  kind: t.payouts.one.title,
  at: payout.created_at,
  amount: moneyText(payout.amount.source_amount, payout.amount.source_amount_currency.symbol),
  reference: payout.reference_note,
  link: (
    <Link to="/payouts/$payoutId" params={{ payoutId: payout.id }}>
      {payout.beneficiary_name}
    </Link>
  ),
});

const batchRow = (batch: Batch): Waiting => ({
  id: batch.id,
  kind: t.batches.one.title,
  at: batch.created_at,
  amount: batch.source_total
    ? moneyText(batch.source_total.amount, batch.source_total.currency_code)
    : batch.receiving_totals
        .map(({ amount, currency_code: currency }) => moneyText(amount, currency))
        .join(", "),
  reference: batch.reference_id,
  link: (
    <Link to="/batches/$batchId" params={{ batchId: batch.id }}>
      {words.lines(batch.line_count)}
    </Link>
  ),
});

const scheduledRow = (order: ScheduledPayout): Waiting => ({
  id: order.id,
  kind: t.payouts.scheduled.one,
  at: order.created_at,
  amount: order.source_amount
    ? moneyText(order.source_amount, order.source_currency_code)
    : moneyText(order.receiving_amount ?? "", order.destination_currency_code),
  reference: order.reference_id,
  link: (
    <Link to="/scheduled" search={{ sub_status: "awaiting_approval" }}>
      <Moment at={order.scheduled_at} />
    </Link>
  ),
});

const queues = [
  queueOf(payouts, { sub_status: "awaiting_approval" }, payoutRow),
  queueOf(batches, { state: "awaiting_approval" }, batchRow),
  queueOf(scheduledPayouts, { sub_status: "awaiting_approval" }, scheduledRow),
];

const columns: readonly Column<Waiting>[] = [
  {
    id: "created",
    header: t.list.created,
    cell: ({ at }) => <Moment at={at} />,
    csv: ({ at }) => at,
  },
  textColumn("kind", words.kind, ({ kind }) => kind),
  { id: "what", header: words.what, cell: ({ link }) => link },
  {
    id: "sent",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: ({ amount }) => <span className="money">{amount}</span>,
    csv: ({ amount }) => amount,
  },
  textColumn("reference", t.payouts.reference, ({ reference }) => reference, { width: "wide" }),
  textColumn("id", t.list.id, ({ id }) => id, { width: "wide" }),
];

/** Everything that awaits approval in the team: payouts, batches, and scheduled payouts. */
export function Approvals() {
  const found = useQueries({ queries: queues });
  const waiting = found
    .flatMap(({ data = [] }) => data)
    .toSorted((one, two) => two.at.localeCompare(one.at));
  const missing = found.filter(({ data }) => data === undefined);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={<ExportButton name="approvals" read={wholeList(waiting)} columns={columns} />}
    >
      {missing[0] === undefined ? null : <Awaited found={missing[0]} />}
      {waiting.length > 0 ? (
        <DataTable
          caption={words.caption}
          columns={columns}
          rows={waiting}
          keyOf={({ id }) => id}
        />
      ) : missing.length === 0 ? (
        <Notice tone="info">{words.empty}</Notice>
      ) : null}
    </Page>
  );
}
