import type { FaultKind } from "../faults.ts";
import type { Document } from "../store/value.ts";

/** The ways that the state of a payout that is made later, or of a batch, may go. */
const orderWays: ReadonlySet<string> = new Set([
  ...["undefined waiting", "waiting waiting", "waiting executed", "waiting failed"],
  ...["waiting cancelled", "executed executed", "failed failed", "cancelled cancelled"],
  // Of a revoked key's scheduled payout: held until another actor decides.
  ...["waiting awaiting_approval", "awaiting_approval awaiting_approval"],
  ...["awaiting_approval waiting", "awaiting_approval failed", "awaiting_approval cancelled"],
]);
const batchWays: ReadonlySet<string> = new Set([
  ...["undefined awaiting_approval", "awaiting_approval awaiting_approval"],
  ...["awaiting_approval running", "awaiting_approval cancelled", "running awaiting_approval"],
  ...["running running", "running finished", "finished finished", "cancelled cancelled"],
]);

const counted: Readonly<Record<string, FaultKind>> = {
  "waiting failed": "order failed",
  "running finished": "batch finished",
};

/** Which states each collection goes through. */
const ways: Readonly<Record<string, ReadonlySet<string>>> = {
  scheduled_payouts: orderWays,
  batch_lines: orderWays,
  batches: batchWays,
};

/** What is wrong with one write of an order or a batch; `count` is called for what it tries. */
export function wrongOrder(
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
  count: (kind: FaultKind) => void,
): string[] {
  const allowed = ways[collection];
  if (allowed === undefined) return [];
  const way = `${before?.state} ${after?.state}`;
  const kind = counted[way];
  if (kind !== undefined) count(kind);
  if (after?.rejection !== undefined && before?.rejection === undefined) count("batch rejected");
  const isOther = before?.payout_id !== undefined && before.payout_id !== after?.payout_id;
  return [
    ...(allowed.has(way) ? [] : [`went from ${way.replace(" ", " to ")}`]),
    ...(isOther ? ["has another payout than before"] : []),
  ];
}

/** Which order is bound to its first quote by a write, from which on that decides. */
export function quotedBy(
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
): string | undefined {
  const isBound = before?.quote === undefined && after?.quote !== undefined;
  return collection === "scheduled_payouts" && isBound ? String(after._id) : undefined;
}
