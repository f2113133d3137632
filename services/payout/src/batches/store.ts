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
  // Failed and cancelled lines cost nothing: their quotes are never paid.
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
 * Approves a waiting batch up to a maximum total. Returns `false` if the batch no longer waits or
 * if its approval has expired by the database's clock. Also returns `false` if the batch was held
 * after it was read, because a hold excludes its maker.
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
 * Builds the write that cancels a batch. A batch that is running, or has run, stays in state
 * `running`. The runner then counts the outcomes of its lines and finishes it.
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
  // One write covers both states. With two writes, a hold in between could move the batch so that
  // neither matches.
  const states = ["awaiting_approval" as const, "running" as const];
  const open = { state: { $in: states }, cancelled_at: { $exists: false } };
  await batches.updateOne({ _id: id, ...open }, cancelling());
  await endLines(lines, id, { state: "cancelled" });
}

/** Ends the lines that have no quote. They can't get a quote afterwards. */
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

/**
 * A batch and its lease. The lease allows this process to create payouts until another process
 * leases the batch.
 */
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
 * Extends the lease and postpones the batch's next check. `hasMoved` records that lines were
 * started. Returns `undefined` if another process has leased the batch.
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
 * Assigns the waiting lines to this lease. Workers with earlier leases can't bind a quote to them
 * any more, so a later count includes everything spent.
 */
export async function takeLines(lines: Orders, { batch, lease }: LeasedBatch): Promise<void> {
  await lines.updateMany({ batch_id: batch._id, state: "waiting" }, { $set: { lease } });
}

/**
 * Stores that the next line waits for balance, and its price. The first wait decides when waiting
 * lines fail: at the time that was sent, or after `lastsMs`.
 */
export async function setShort(
  batches: Batches,
  { batch, lease }: LeasedBatch,
  { price, lastsMs, againMs }: { price: bigint; lastsMs: number; againMs: number },
): Promise<void> {
  const byDefault = { $ifNull: ["$queue.expires_at", { $add: ["$$NOW", lastsMs] }] };
  await batches.updateOne({ _id: batch._id, state: "running", lease }, [
    {
      $set: {
        "balance.price_minor": toDecimal128(price),
        "balance.expires_at": { $ifNull: ["$balance.expires_at", byDefault] },
        due_at: { $add: ["$$NOW", againMs] },
        updated_at: "$$NOW",
      },
    },
  ]);
}

/** Lets a batch go on that waited for balance. */
export async function forgetPrice(batches: Batches, { batch, lease }: LeasedBatch): Promise<void> {
  const own = { _id: batch._id, state: "running" as const, lease };
  await batches.updateOne(own, { $set: { "balance.price_minor": toDecimal128(0n) } });
}

/** Ends the wait for balance if it has expired by the database's clock. Returns true if it has. */
export async function expireWait(
  batches: Batches,
  { batch, lease }: LeasedBatch,
): Promise<boolean> {
  const isOver = { $expr: { $lte: ["$balance.expires_at", "$$NOW"] } };
  const { matchedCount } = await batches.updateOne(
    { _id: batch._id, state: "running", lease, ...isOver },
    [{ $set: { unfunded_at: "$$NOW" } }],
  );
  return matchedCount === 1;
}

/** Finishes a batch that has no waiting lines. Returns `false` if it is already finished. */
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
