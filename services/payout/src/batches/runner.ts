import { setTimeout as pause } from "node:timers/promises";
import { type Loop, type ManualLoops, startLoop } from "@disburse/chassis/loop.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import { type OrderDocument, toOrder } from "../orders/document.ts";
import { executeOrder, type OrderDeps } from "../orders/execute-order.ts";
import type { Budget } from "../orders/store.ts";
import { givenApproval } from "./decide.ts";
import type { BatchDocument, Batches } from "./document.ts";
import { expireHeld } from "./held-store.ts";
import { batchDigest, mayGoOn, waitingMax } from "./rules/batch.ts";
import {
  endLines,
  extendLease,
  finish,
  type LeasedBatch,
  leaseDueBatch,
  standingOf,
  takeLines,
} from "./store.ts";

/** What making the payouts of batches works with; `orders` are their lines. */
export type BatchDeps = OrderDeps & {
  readonly batches: Batches;
  /** Whether this process ends: another one goes on with its batch. */
  readonly isStopping: () => boolean;
};

/** How late a batch is found that was approved, or that a killed process left. */
const everyMs = 1_000;
/** Renewed with each part of the lines, which takes some seconds. */
export const batchLeaseMs = 20_000;
/** Payouts of one batch that are made at a time. */
const concurrency = 4;
/** Lines after which the lease is renewed, and the rails' queue is looked at. */
const partMax = 20;
/** A batch whose lines wait, for a screening or a service, is looked at again so soon. */
const againMs = 5_000;
/** How soon the rails' queue is looked at again. */
const pauseMs = 500;

/** Leases a batch that is due and makes its payouts; `false`: there is none. */
export async function runDueBatch(deps: BatchDeps): Promise<boolean> {
  const now = deps.clock.now();
  await expireHeld(deps.batches, now);
  const leased = await leaseDueBatch(deps.batches, now, batchLeaseMs);
  if (leased === undefined) return false;
  await runBatch(deps, leased);
  return true;
}

/**
 * Makes the payouts of a batch in its order, as many at a time as do not hold up others. One
 * process at a time does; one that lost its lease can begin no line any more (`takeLines`).
 */
export async function runBatch(deps: BatchDeps, leased: LeasedBatch): Promise<void> {
  const { batch } = leased;
  await takeLines(deps.orders, leased);
  if (!(await isAsApproved(deps, batch))) throw new Error("a batch is not what was approved");
  const budget = await budgetOf(deps, leased);
  let hasMoved = false;
  for (let last = 0; ; ) {
    const current = await extendLease(deps.batches, leased, batchLeaseMs, hasMoved);
    hasMoved = false;
    if (current === undefined) return;
    await endUnbegun(deps, current);
    if (deps.isStopping()) return release(deps, leased, 0);
    if (!(await hasRoom(deps))) {
      await pause(pauseMs);
      continue;
    }
    const part = await deps.orders
      .find({ batch_id: batch._id, line: { $gt: last }, state: "waiting" })
      .sort({ line: 1 })
      .limit(partMax)
      .toArray();
    if (part.length === 0) break;
    last = part.at(-1)?.line ?? last;
    if (!(await runPart(deps, leased, budget, part))) return release(deps, leased, againMs);
    hasMoved = true;
  }
  const standing = await standingOf(deps.orders, batch._id);
  if (standing.counts.waiting > 0) return release(deps, leased, againMs);
  if (await finish(deps.batches, batch._id, standing)) {
    deps.log.info({ batch_id: batch._id, ...standing.counts }, "batch finished");
  }
}

/** Ends what a cancellation, or an approval that expired, leaves of a batch's lines. */
async function endUnbegun({ orders }: BatchDeps, { _id, cancelled_at, expired_at }: BatchDocument) {
  if (cancelled_at !== undefined) await endLines(orders, _id, { state: "cancelled" });
  if (expired_at === undefined) return;
  await endLines(orders, _id, { state: "failed", failure: "APPROVAL_EXPIRED" });
}

/** Whether the lines are what was approved; a document that was changed is paid by no process. */
async function isAsApproved({ orders }: BatchDeps, batch: BatchDocument): Promise<boolean> {
  const { _id: id, merchant_id: merchantId, account_id: accountId, currency } = batch;
  const digest = batchDigest({ id, merchantId, accountId, currency, lines: batch.line_count });
  for await (const line of orders.find({ batch_id: id }).sort({ line: 1 })) {
    digest.add(toOrder(line).terms);
  }
  return digest.hex() === batch.digest;
}

async function release(deps: BatchDeps, leased: LeasedBatch, ms: number): Promise<void> {
  await extendLease(deps.batches, leased, ms, false);
}

/** Whether rail workers have taken on what was made before. */
async function hasRoom({ payouts, clock }: BatchDeps): Promise<boolean> {
  const due = { work_due_at: { $lte: clock.now() } };
  return mayGoOn(await payouts.countDocuments(due, { limit: waitingMax }));
}

/** What is left of the total that was approved, once no other process can spend of it. */
async function budgetOf(deps: BatchDeps, { batch }: LeasedBatch): Promise<Budget> {
  const { approval, cancelled_at, expired_at } = batch;
  // One that was held and not approved again only ends: no line of it is begun.
  const mayEnd = cancelled_at !== undefined || expired_at !== undefined;
  if (approval === undefined && !mayEnd) throw new Error("a batch runs that is not approved");
  const { total } = await standingOf(deps.orders, batch._id);
  let left = (approval === undefined ? 0n : fromDecimal128(approval.max_total_minor)) - total;
  return {
    take: (cost) => {
      if (cost > left) return false;
      left -= cost;
      return true;
    },
    giveBack: (cost) => {
      left += cost;
    },
  };
}

/** Takes lines on, some at a time; `false`: a service is away, so that the rest waits. */
async function runPart(
  deps: BatchDeps,
  { batch, lease }: LeasedBatch,
  budget: Budget,
  part: readonly OrderDocument[],
): Promise<boolean> {
  const queue = [...part];
  let isAway = false;
  const dueAt = batch.approval?.at ?? batch.created_at;
  const given = givenApproval(batch);
  const work = async () => {
    for (let next = queue.shift(); next !== undefined && !isAway; next = queue.shift()) {
      const leased = { order: toOrder(next), document: next, lease, dueAt, budget, given };
      if ((await executeOrder(deps, leased)) === "away") isAway = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return !isAway;
}

type RunnerDeps = Omit<BatchDeps, "isStopping"> & {
  /** Notified when a batch is due. */
  readonly batchDue: Wake;
  readonly manual?: ManualLoops | undefined;
};

/** Makes the payouts of batches that were approved, one batch at a time. */
export function startBatchRunner(deps: RunnerDeps): Loop {
  let isStopping = false;
  const running = { ...deps, isStopping: () => isStopping };
  const run = () => runDueBatch(running);
  const { batchDue: wake, log, manual } = deps;
  const loop = startLoop({ name: "batches", everyMs, wake, run, log, manual });
  const stop = () => {
    isStopping = true;
    return loop.stop();
  };
  return { stop };
}
