import type { Batch, Payout, PayoutItem, ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { accounts, batches, payouts, scheduledPayouts } from "../api/lists.ts";
import { type ListOf, readAll } from "../api/pages.ts";
import { Problem } from "../api/problem.ts";
import { get, send } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { may } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { BulkBar, inParallel } from "../ui/bulk.tsx";
import { momentColumn, textColumn } from "../ui/columns.tsx";
import { ExportButton } from "../ui/export-button.tsx";
import { Facts } from "../ui/facts.tsx";
import { Moment } from "../ui/moment.tsx";
import { Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { BatchLink, PayoutLink } from "../ui/record-link.tsx";
import { sumsText } from "../ui/rules/sums.ts";
import { type Column, DataTable } from "../ui/table.tsx";
import { type Selection, useSelection } from "../ui/use-selection.tsx";
import { actorName } from "./names.tsx";
import { RulesProposals, rulesProposals } from "./settings/proposals.tsx";

const words = t.payouts.waiting;

/** The content that a person approves, identified by its digest. */
type Approvable = { readonly digest: string; readonly expires_at: string };

/** Something that awaits the decision of another person of the team. */
type Waiting = {
  readonly id: string;
  readonly path: string;
  readonly kind: string;
  readonly at: string;
  readonly amounts: readonly { readonly amount: string; readonly currency: string }[];
  /** True if it fixes what beneficiaries receive. Its cost is not known before its quote. */
  readonly isQuotedLater: boolean;
  readonly maker: string;
  readonly reference: string;
  readonly name: string;
  readonly link: ReactNode;
  /** Undefined until it is read. Lists of payouts have no approvals. */
  readonly approval?: Approvable | undefined;
  /** The maximum that an approval of a batch names; undefined if a person must choose it. */
  readonly maximum?: string | undefined;
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
  queryFn: async () => {
    const { items, isCut } = await readAll(list, query, shownMax);
    return { rows: items.map(row), isCut };
  },
  refetchInterval: readAgainMs,
});

const payoutRow = (payout: PayoutItem): Waiting => ({
  id: payout.id,
  path: payouts.path,
  kind: t.payouts.one.title,
  at: payout.created_at,
  amounts: [
    {
      amount: payout.amount.source_amount,
      currency: payout.amount.source_amount_currency.symbol,
    },
  ],
  isQuotedLater: false,
  maker: actorName(payout.created_by),
  reference: payout.reference_note,
  name: payout.beneficiary_name,
  link: <PayoutLink id={payout.id}>{payout.beneficiary_name}</PayoutLink>,
});

const batchRow = (batch: Batch): Waiting => {
  const { source_total: total, receiving_totals: receiving } = batch;
  const totals = total === undefined ? receiving : [total];
  const name = batch.reference_id || words.lines({ count: batch.line_count });
  return {
    id: batch.id,
    path: batches.path,
    kind: t.batches.one.title,
    at: batch.created_at,
    amounts: totals.map(({ amount, currency_code: currency }) => ({ amount, currency })),
    isQuotedLater: receiving.length > 0,
    maker: actorName(batch.created_by),
    reference: batch.reference_id,
    name,
    link: <BatchLink id={batch.id}>{name}</BatchLink>,
    approval: batch.approval,
    maximum: receiving.length === 0 ? total?.amount : undefined,
  };
};

const scheduledRow = (order: ScheduledPayout): Waiting => ({
  id: order.id,
  path: scheduledPayouts.path,
  kind: t.payouts.scheduled.one,
  at: order.created_at,
  amounts: [
    order.source_amount
      ? { amount: order.source_amount, currency: order.source_currency_code }
      : { amount: order.receiving_amount ?? "0", currency: order.destination_currency_code },
  ],
  isQuotedLater: !order.source_amount,
  maker: actorName(order.created_by),
  reference: order.reference_id,
  name: order.reference_id || order.id,
  link: (
    <Link to="/scheduled" search={{ sub_status: "awaiting_approval" }}>
      <Moment at={order.scheduled_at} />
    </Link>
  ),
  approval: order.approval,
});

const queues = [
  queueOf(payouts, { sub_status: "awaiting_approval" }, payoutRow),
  queueOf(batches, { state: "awaiting_approval" }, batchRow),
  queueOf(scheduledPayouts, { sub_status: "awaiting_approval" }, scheduledRow),
];

const keyOf = ({ id }: Waiting) => id;
const nameOf = ({ name, amounts }: Waiting) => `${name}, ${sumsText(amounts)}`;

const columns: readonly Column<Waiting>[] = [
  momentColumn("created", t.list.created, ({ at }) => at),
  textColumn("kind", words.kind, ({ kind }) => kind),
  { id: "what", header: words.what, cell: ({ link }) => link },
  {
    id: "sent",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: ({ amounts }) => <span className="money">{sumsText(amounts)}</span>,
    csv: ({ amounts }) => sumsText(amounts),
  },
  textColumn("maker", t.list.makers, ({ maker }) => maker, { width: "wide" }),
  textColumn("reference", t.payouts.reference, ({ reference }) => reference, { width: "wide" }),
  textColumn("id", t.list.id, ({ id }) => id, { width: "wide" }),
];

/** Everything that awaits approval in the team: payouts, batches, and scheduled payouts. */
export function Approvals() {
  const session = useSession();
  const found = useQueries({ queries: queues });
  const waiting = found
    .flatMap(({ data }) => data?.rows ?? [])
    .toSorted((one, two) => two.at.localeCompare(one.at));
  const missing = found.filter(({ data }) => data === undefined);
  const proposals = useQuery({
    ...rulesProposals(true),
    enabled: may(session, "payout:control"),
  });
  const { column, selection } = useSelection(waiting, { keyOf, nameOf });
  const mayDecide = may(session, "payout:approve");
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <ExportButton
          name="approvals"
          read={async () => ({ items: waiting, isCut: false })}
          columns={columns}
        />
      }
    >
      {found.some(({ data }) => data?.isCut) ? (
        <Notice tone="warn">{words.cut({ most: shownMax })}</Notice>
      ) : null}
      {proposals.data === undefined ? null : <RulesProposals isQueue />}
      {mayDecide ? <Decisions selection={selection} isOffered={waiting.length > 0} /> : null}
      {waiting.length > 0 ? (
        <DataTable
          caption={words.caption}
          columns={mayDecide ? [column, ...columns] : columns}
          rows={waiting}
          keyOf={keyOf}
        />
      ) : missing.length === 0 && !proposals.data?.length ? (
        <Notice tone="info">{words.empty}</Notice>
      ) : null}
    </Page>
  );
}

function Decisions(props: { selection: Selection<Waiting>; isOffered: boolean }) {
  const client = useQueryClient();
  const stale = [accounts, payouts, batches, scheduledPayouts];
  const onDone = () =>
    Promise.all(stale.map(({ path }) => client.invalidateQueries({ queryKey: [path] })));
  return (
    <BulkBar
      {...props}
      keyOf={keyOf}
      nameOf={nameOf}
      summary={(rows) => <Summary rows={rows} />}
      onDone={onDone}
      actions={[
        {
          label: t.payouts.one.approve,
          text: words.approveText,
          kind: "primary",
          open: withApprovals,
          change: approve,
        },
        {
          label: t.payouts.one.reject,
          text: words.rejectText,
          kind: "danger",
          reason: t.payouts.one.rejectReason,
          open: withApprovals,
          change: (row, key, reason) => decide(row, "reject", { reason }, key),
        },
      ]}
    />
  );
}

const isLater = ({ isQuotedLater }: Waiting) => isQuotedLater;

function Summary({ rows }: { rows: readonly Waiting[] }) {
  const makers = new Set(rows.map(({ maker }) => maker).filter((maker) => maker !== ""));
  const [later, known] = [rows.filter(isLater), rows.filter((row) => !isLater(row))];
  const sum = sumsText(known.flatMap(({ amounts }) => amounts));
  const costLater = words.costLater({ count: later.length });
  const together = sum === "" ? costLater : words.sumLater({ sum, later: costLater });
  const [first] = rows
    .flatMap(({ approval }) => approval?.expires_at || [])
    .toSorted((one, two) => one.localeCompare(two));
  return (
    <Facts
      rows={[
        [t.bulk.sum, later.length === 0 ? sum : together],
        [t.list.makers, [...makers].join(", ")],
        [t.bulk.expires, first && <Moment at={first} />],
      ]}
    />
  );
}

/**
 * Reads the digests of payouts, so that exactly what the dialog shows is approved. Their amounts then
 * have currency codes, so that the dialog can add those of batches to them.
 */
async function withApprovals(rows: readonly Waiting[]): Promise<readonly Waiting[]> {
  const read = new Map<string, Waiting>();
  await inParallel(rows, async (row) => {
    if (row.approval !== undefined) return read.set(row.id, row);
    const payout = await get<Payout>(`${row.path}/${encodeURIComponent(row.id)}`);
    const { source_amount: amount, source_currency_code: currency, approval } = payout;
    return read.set(row.id, { ...row, amounts: [{ amount, currency }], approval });
  });
  return rows.flatMap(({ id }) => read.get(id) ?? []);
}

async function approve(row: Waiting, key: string): Promise<void> {
  if (row.path !== batches.path) {
    await decide(row, "approve", { digest: row.approval?.digest }, key);
    return;
  }
  if (row.maximum === undefined) {
    const problem = { status: 400, code: "INVALID_REQUEST", message: words.needsMaximum };
    throw new Problem({ ...problem, requestId: "" });
  }
  const { approval, maximum: max_total_amount } = row;
  await decide(row, "approve", { max_total_amount, digest: approval?.digest }, key);
}

function decide({ path, id }: Waiting, what: string, body: object, idempotencyKey: string) {
  return send("POST", `${path}/${encodeURIComponent(id)}/${what}`, { body, idempotencyKey });
}
