import type { Batch, Payout, PayoutItem, ScheduledPayout } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { batches, payouts, scheduledPayouts } from "../api/lists.ts";
import { type ListOf, pathOf, readAll, type Source } from "../api/pages.ts";
import { Problem } from "../api/problem.ts";
import { get, post, type Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { May } from "../session/may.tsx";
import { may } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { type Bulk, inParallel } from "../ui/bulk.tsx";
import { momentColumn, textColumn } from "../ui/columns.tsx";
import { Facts } from "../ui/facts.tsx";
import { ListPage } from "../ui/list-page.tsx";
import { Moment } from "../ui/moment.tsx";
import { BatchLink, PayoutLink } from "../ui/record-link.tsx";
import { sumsText } from "../ui/rules/sums.ts";
import type { Column } from "../ui/table.tsx";
import { actorName } from "./names.tsx";
import { RulesProposals } from "./settings/proposals.tsx";

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

const payoutRow = (payout: PayoutItem): Waiting => ({
  id: payout.id,
  path: payouts.path,
  kind: t.shell.pages.payout,
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
    kind: t.shell.pages.batch,
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

const rowsOf = async <T,>(list: ListOf<T>, query: Query, row: (item: T) => Waiting) =>
  (await readAll(list, query, shownMax)).items.map(row);

/** Live updates read the queue again by the key of payouts. */
const source: Source<Waiting> = {
  key: [payouts.path, "waiting"],
  read: async () => {
    const held = { sub_status: "awaiting_approval" };
    const results = await Promise.allSettled([
      rowsOf(payouts, held, payoutRow),
      rowsOf(batches, { state: "awaiting_approval" }, batchRow),
      rowsOf(scheduledPayouts, held, scheduledRow),
    ]);
    const [failed] = results.filter((each) => each.status === "rejected");
    const found = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    if (found.length === 0) throw failed?.reason;
    const items = found.flat().toSorted((one, two) => two.at.localeCompare(one.at));
    const warnings = [
      ...(failed === undefined ? [] : [words.missing]),
      ...(found.some(({ length }) => length === shownMax) ? [words.cut({ most: shownMax })] : []),
    ];
    return { items, next: "", total: undefined, isCapped: false, warnings };
  },
};

const columns: readonly Column<Waiting>[] = [
  momentColumn("created", t.list.created, ({ at }) => at),
  textColumn("kind", words.kind, ({ kind }) => kind),
  { id: "what", header: words.what, cell: ({ link }) => link },
  textColumn("sent", t.payouts.sent, ({ amounts }) => sumsText(amounts), {
    align: "end",
    width: "first",
    cell: ({ amounts }) => <span className="money">{sumsText(amounts)}</span>,
  }),
  textColumn("maker", t.list.makers, ({ maker }) => maker, { width: "wide" }),
  textColumn("reference", t.payouts.reference, ({ reference }) => reference, { width: "wide" }),
  textColumn("id", t.list.id, ({ id }) => id, { width: "wide" }),
];

/** Everything that awaits approval in the team: payouts, batches, and scheduled payouts. */
export function Approvals() {
  return (
    <ListPage
      lead={words.lead}
      caption={words.caption}
      empty={words.empty}
      source={() => source}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "approvals" }}
      bulk={may(useSession(), "payout:approve") ? deciding : undefined}
      everyMs={readAgainMs}
    >
      <May scope="payout:control">
        <RulesProposals isQueue />
      </May>
    </ListPage>
  );
}

const deciding: Bulk<Waiting> = {
  nameOf: ({ name, amounts }) => `${name}, ${sumsText(amounts)}`,
  summary: (rows) => <Summary rows={rows} />,
  actions: [
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
      change: ({ path, id }, key, reason) => post(pathOf({ path }, id, "/reject"), { reason }, key),
    },
  ],
};

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
    const payout = await get<Payout>(pathOf(row, row.id));
    const { source_amount: amount, source_currency_code: currency, approval } = payout;
    return read.set(row.id, { ...row, amounts: [{ amount, currency }], approval });
  });
  return rows.flatMap(({ id }) => read.get(id) ?? []);
}

async function approve(row: Waiting, key: string): Promise<void> {
  const { path, id, maximum, approval } = row;
  const isBatch = path === batches.path;
  if (isBatch && maximum === undefined) {
    const problem = { status: 400, code: "INVALID_REQUEST", message: words.needsMaximum };
    throw new Problem({ ...problem, requestId: "" });
  }
  const body = { digest: approval?.digest, ...(isBatch && { max_total_amount: maximum }) };
  await post(pathOf({ path }, id, "/approve"), body, key);
}
