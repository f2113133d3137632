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
  expireWait,
  extendLease,
  finish,
  forgetPrice,
  type LeasedBatch,
  leaseDueBatch,
  setShort,
  standingOf,
  takeLines,
} from "./store.ts";

/** `orders` are the lines of batches. */
export type BatchDeps = OrderDeps & {
  readonly batches: Batches;
  /** Returns true if this process is stopping. Another process then continues the batch. */
  readonly isStopping: () => boolean;
};

/**
 * The poll interval. An approved batch, or a batch whose process was killed, waits at most this
 * long to be found.
 */
const everyMs = 1_000;
/** The lease of a batch. It is renewed before each part of the lines; a part takes some seconds. */
export const batchLeaseMs = 20_000;
/** The number of payouts that a batch creates concurrently. */
const concurrency = 4;
/**
 * The number of lines in one part. After each part the runner renews the lease and checks the
 * rails' queue.
 */
const partMax = 20;
/** The pause before the next check of a batch whose lines wait for a screening or a service. */
const againMs = 5_000;
/** How long lines wait for balance by default, after the first one began to wait. */
const waitMs = 24 * 3_600_000;
/** The pause before the next check of the rails' queue. */
const pauseMs = 500;

/** Leases a due batch and creates its payouts. Returns `false` if there is none. */
export async function runDueBatch(deps: BatchDeps): Promise<boolean> {
  const now = deps.clock.now();
  await expireHeld(deps.batches, now);
  const leased = await leaseDueBatch(deps.batches, now, batchLeaseMs);
  if (leased === undefined) return false;
  await runBatch(deps, leased);
  return true;
}

/**
 * Creates the payouts of a batch in order. Pauses while many payouts wait for rail workers, so that
 * direct payouts are not delayed. One process runs a batch at a time: a process that lost its lease
 * can begin no line (`takeLines`).
 */
export async function runBatch(deps: BatchDeps, leased: LeasedBatch): Promise<void> {
  const { batch } = leased;
  if (!(await isFunded(deps, leased))) return release(deps, leased, againMs);
  await takeLines(deps.orders, leased);
  if (!(await isAsApproved(deps, batch)))
    throw new Error("the stored batch differs from the one that was approved");
  const budget = await budgetOf(deps, leased);
  let hasMoved = false;
  for (let last = 0; ; ) {
    const current = await extendLease(deps.batches, leased, batchLeaseMs, hasMoved);
    hasMoved = false;
    if (current === undefined) return;
    await endUnbegun(deps, current);
    if (deps.isStopping()) return release(deps, leased, 0);
    if (!(await hasCapacity(deps))) {
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
    const ended = await runPart(deps, leased, budget, part);
    if (ended === "away") return release(deps, leased, againMs);
    if (ended !== "done") {
      return setShort(deps.batches, leased, { price: ended.short, lastsMs: waitMs, againMs });
    }
    hasMoved = true;
  }
  const standing = await standingOf(deps.orders, batch._id);
  if (standing.counts.waiting > 0) return release(deps, leased, againMs);
  if (await finish(deps.batches, batch._id, standing)) {
    deps.log.info({ batch_id: batch._id, ...standing.counts }, "batch finished");
  }
}

/**
 * Returns true if a batch may go on: its account has the price of the line that waits for balance,
 * or the wait is over. A closed account gets no more money, so its lines are tried too, and fail.
 */
async function isFunded(deps: BatchDeps, leased: LeasedBatch): Promise<boolean> {
  const { balance, account_id: _id, cancelled_at, unfunded_at } = leased.batch;
  const isOver = cancelled_at !== undefined || unfunded_at !== undefined;
  if (balance === undefined || isOver) return true;
  const projection = { available: 1, closed_at: 1 };
  const account = await deps.ledger.accounts.findOne({ _id }, { projection });
  const available = account === null ? 0n : fromDecimal128(account.available);
  const isClosed = account?.closed_at !== undefined;
  const isShort = !isClosed && available < fromDecimal128(balance.price_minor);
  // Only a line that is short now can have waited too long.
  if (isShort) return expireWait(deps.batches, leased);
  // The next line may cost less. If it has too little money too, it stores its own price.
  await forgetPrice(deps.batches, leased);
  return true;
}

/** Ends the lines that have not begun, after a cancellation, an expired approval or an expired wait. */
async function endUnbegun({ orders }: BatchDeps, batch: BatchDocument) {
  const { _id, cancelled_at, expired_at, unfunded_at } = batch;
  if (cancelled_at !== undefined) await endLines(orders, _id, { state: "cancelled" });
  if (expired_at !== undefined) {
    await endLines(orders, _id, { state: "failed", failure: "APPROVAL_EXPIRED" });
  }
  if (unfunded_at === undefined) return;
  await endLines(orders, _id, { state: "failed", failure: "INSUFFICIENT_BALANCE" });
}

/** Returns true if the lines equal the approved content. Otherwise the batch must not be paid. */
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

/** Returns true unless too many payouts wait for rail workers. */
async function hasCapacity({ payouts, clock }: BatchDeps): Promise<boolean> {
  const due = { work_due_at: { $lte: clock.now() } };
  return mayGoOn(await payouts.countDocuments(due, { limit: waitingMax }));
}

/**
 * Returns the part of the approved total that is not spent. Call this only when no other process
 * can spend it.
 */
async function budgetOf(deps: BatchDeps, { batch }: LeasedBatch): Promise<Budget> {
  const { approval, cancelled_at, expired_at } = batch;
  // A cancelled or expired batch may have no approval: its remaining lines only end.
  const mayEnd = cancelled_at !== undefined || expired_at !== undefined;
  if (approval === undefined && !mayEnd) throw new Error("a batch is running without an approval");
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

/**
 * Executes the lines of one part. If a service is unavailable, or a line has too little money and
 * waits for it, the remaining lines wait.
 */
async function runPart(
  deps: BatchDeps,
  { batch, lease }: LeasedBatch,
  budget: Budget,
  part: readonly OrderDocument[],
): Promise<"done" | "away" | { readonly short: bigint }> {
  const queue = [...part];
  let isAway = false;
  let short: bigint | undefined;
  // No line overtakes one that waits for balance.
  const isInLine = batch.queue !== undefined && batch.unfunded_at === undefined;
  const noteShort = (price: bigint) => {
    short = price;
  };
  const onShort = isInLine ? noteShort : undefined;
  const dueAt = batch.approval?.at ?? batch.created_at;
  const given = givenApproval(batch);
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (isAway || short !== undefined) return;
      const its = { order: toOrder(next), document: next };
      const leased = { ...its, lease, dueAt, budget, given, onShort };
      if ((await executeOrder(deps, leased)) === "away") isAway = true;
    }
  };
  await Promise.all(Array.from({ length: isInLine ? 1 : concurrency }, work));
  if (short !== undefined) return { short };
  return isAway ? "away" : "done";
}

type RunnerDeps = Omit<BatchDeps, "isStopping"> & {
  readonly batchDue: Wake;
  readonly manual?: ManualLoops | undefined;
};

/** Creates the payouts of approved batches, one batch at a time. */
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
