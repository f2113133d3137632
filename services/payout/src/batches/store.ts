import {
  fromDecimal128,
  isOnlyDuplicateKeys,
  toDecimal128,
} from "@disburse/chassis/mongo/database.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { Decimal128, type Document, type Filter } from "mongodb";
import type { OrderDocument, Orders } from "../orders/document.ts";
import type { OrderFailure } from "../orders/rules/order.ts";
import type { BatchDocument, Batches } from "./document.ts";
import { batchEvent } from "./events.ts";
import type { LineCounts } from "./rules/batch.ts";

/** Limits the documents of one insert. */
const insertedMax = 1_000;

/** Inserts the lines of a batch. Existing lines stay unchanged. */
export async function insertLines(lines: Orders, documents: readonly OrderDocument[]) {
  for (let at = 0; at < documents.length; at += insertedMax) {
    try {
      await lines.insertMany(documents.slice(at, at + insertedMax), { ordered: false });
    } catch (error) {
      if (!isOnlyDuplicateKeys(error)) throw error;
    }
  }
}

/** Line counts by state, and the total cost of payouts that exist or whose quote is bound. */
export type Standing = { readonly counts: LineCounts; readonly total: bigint };

/** Counts the lines of a batch and sums their cost. */
export async function standingOf(lines: Orders, batchId: string): Promise<Standing> {
  const cost = { $ifNull: ["$quote.source_minor", toDecimal128(0n)] };
  const groups = await lines
    .aggregate<{ _id: OrderDocument["state"]; count: number; cost: Decimal128 | number }>([
      { $match: { batch_id: batchId } },
      { $group: { _id: "$state", count: { $sum: 1 }, cost: { $sum: cost } } },
    ])
    .toArray();
  const of = (state: OrderDocument["state"]) => groups.find(({ _id }) => _id === state);
  const countOf = (state: OrderDocument["state"]) => of(state)?.count ?? 0;
  // The quote of a failed or cancelled line is not paid.
  const costs = [of("waiting"), of("executed")].map((each) =>
    each?.cost instanceof Decimal128 ? fromDecimal128(each.cost) : 0n,
  );
  return {
    counts: {
      waiting: countOf("waiting"),
      executed: countOf("executed"),
      failed: countOf("failed"),
      cancelled: countOf("cancelled"),
    },
    total: costs.reduce((sum, each) => sum + each, 0n),
  };
}

/**
 * Approves a waiting batch up to a total. Returns `false` if it no longer waits, its approval has
 * expired by the database's clock, or it was held since it was read: then its maker may not approve
 * it.
 */
export async function approve(
  batches: Batches,
  { _id, held }: BatchDocument,
  maxTotal: bigint,
  { operationId, actor }: Change,
): Promise<boolean> {
  const approval = {
    at: "$$NOW",
    max_total_minor: toDecimal128(maxTotal),
    operation_id: { $literal: operationId },
    actor: { $literal: actor },
  };
  const asRead = { "held.times": held?.times ?? { $exists: false } } as Filter<BatchDocument>;
  const inTime = { $expr: { $lt: ["$$NOW", "$held.expires_at"] } };
  const isOpen = held === undefined ? {} : inTime;
  const waiting = { ...asRead, ...isOpen, _id, state: "awaiting_approval" as const };
  const { matchedCount } = await batches.updateOne(waiting, [
    {
      $set: {
        state: "running",
        approval,
        due_at: "$$NOW",
        moved_at: "$$NOW",
        updated_at: "$$NOW",
      },
    },
  ]);
  return matchedCount === 1;
}

/** Cancels a waiting batch for the actor that rejects it. */
export async function reject(
  batches: Batches,
  id: string,
  reason: string,
  { operationId, actor }: Change,
): Promise<void> {
  const rejection = {
    at: "$$NOW",
    reason: { $literal: reason },
    operation_id: { $literal: operationId },
    actor: { $literal: actor },
  };
  await batches.updateOne({ _id: id, state: "awaiting_approval" }, cancelling({ rejection }));
}

/**
 * Builds the write that cancels a batch. A batch that runs, or ran before a hold, continues: the
 * runner counts the outcome of its lines and finishes it.
 */
function cancelling(set: Document = {}): Document[] {
  const isRunning = { $eq: ["$state", "running"] };
  const hasRun = { $ifNull: ["$held.has_run", false] };
  return [
    {
      $set: {
        state: { $cond: [{ $or: [isRunning, hasRun] }, "running", "cancelled"] },
        due_at: { $cond: [isRunning, "$due_at", { $cond: [hasRun, "$$NOW", "$$REMOVE"] }] },
        ...set,
        cancelled_at: "$$NOW",
        updated_at: "$$NOW",
      },
    },
  ];
}

/** Cancels a waiting batch, or the lines of a running one that have not begun. */
export async function cancelBatch(batches: Batches, lines: Orders, id: string): Promise<void> {
  // One write: between two, a hold could change the batch so that neither write finds it.
  const states = ["awaiting_approval" as const, "running" as const];
  const open = { state: { $in: states }, cancelled_at: { $exists: false } };
  await batches.updateOne({ _id: id, ...open }, cancelling());
  await endLines(lines, id, { state: "cancelled" });
}

/** Ends the lines of a batch without a quote. None can get one from now on. */
export async function endLines(
  lines: Orders,
  batchId: string,
  end: { state: "cancelled" } | { state: "failed"; failure: OrderFailure },
): Promise<void> {
  await lines.updateMany(
    { batch_id: batchId, state: "waiting", quote: { $exists: false } },
    { $set: end, $unset: { lease: "" }, $currentDate: { updated_at: true } },
  );
}

/** The right to create a batch's payouts, until another process has leased it. */
export type LeasedBatch = { readonly batch: BatchDocument; readonly lease: string };

/** Leases a batch that is due by the database's clock, or returns `undefined`. */
export async function leaseDueBatch(
  batches: Batches,
  now: Date,
  leaseMs: number,
): Promise<LeasedBatch | undefined> {
  const found = await batches
    .find({ due_at: { $lte: now }, state: "running" }, { projection: { _id: 1 } })
    .sort({ due_at: 1 })
    .limit(1)
    .toArray();
  const lease = crypto.randomUUID();
  for (const { _id } of found) {
    const isDue = { state: "running" as const, $expr: { $lte: ["$due_at", "$$NOW"] } };
    const leased = { lease, due_at: { $add: ["$$NOW", leaseMs] } };
    const batch = await batches.findOneAndUpdate({ _id, ...isDue }, [{ $set: leased }], {
      returnDocument: "after",
    });
    if (batch !== null) return { batch, lease };
  }
  return undefined;
}

/**
 * Postpones the next check of a batch and records whether lines were started. Returns `undefined`
 * if another process has leased the batch.
 */
export async function extendLease(
  batches: Batches,
  { batch, lease }: LeasedBatch,
  ms: number,
  hasMoved: boolean,
): Promise<BatchDocument | undefined> {
  const due_at = { $add: ["$$NOW", ms] };
  const extended = { $set: { due_at, ...(hasMoved && { moved_at: "$$NOW" }) } };
  const own = { _id: batch._id, state: "running" as const, lease };
  return (
    (await batches.findOneAndUpdate(own, [extended], { returnDocument: "after" })) ?? undefined
  );
}

/**
 * Takes the waiting lines under this lease. Workers of earlier leases bind no quote to them from
 * here on, so a later count includes everything spent.
 */
export async function takeLines(lines: Orders, { batch, lease }: LeasedBatch): Promise<void> {
  await lines.updateMany({ batch_id: batch._id, state: "waiting" }, { $set: { lease } });
}

/** Finishes a batch without waiting lines. Returns `false` if it is finished already. */
export async function finish(batches: Batches, id: string, standing: Standing): Promise<boolean> {
  const result = { counts: standing.counts, total_minor: toDecimal128(standing.total) };
  const { matchedCount } = await batches.updateOne(
    { _id: id, state: "running" },
    {
      $set: { state: "finished", result },
      $push: { pending_events: batchEvent(id, "finished") },
      $unset: { due_at: "", lease: "" },
      $currentDate: { updated_at: true, finished_at: true },
    },
  );
  return matchedCount === 1;
}
