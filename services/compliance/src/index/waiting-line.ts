import { refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { refusals } from "../refusals.ts";
import type { Finding } from "../screening/rules/hit.ts";
import {
  findingOf,
  type ScreeningQuery,
  type ScreeningUnit,
  type UnitHits,
  unitsOf,
} from "../screening/rules/screening.ts";
import type { Waiter } from "../screening/screening-index.ts";
import { createFairQueue } from "./rules/fair-queue.ts";

/**
 * The maximum number of waiting names and wallets: `ofOne` for each merchant, `ofAll` in total. A
 * unit takes a few milliseconds, so a longer queue would make callers time out. The limit for one
 * merchant leaves capacity for others.
 */
const waitingMax = { ofOne: 500, ofAll: 4_000 };
/**
 * The minimum number of units at the thread. With one unit in work and one waiting, the thread
 * never idles. Cheap units are sent up to `sentBudgetMs` of expected time. A new request waits at
 * least until these units are done.
 */
const sentMin = 2;
const sentBudgetMs = 10;

/** A request with units that are waiting or being compared. */
type Waiting = {
  readonly results: UnitHits[];
  /** The number of units without a result. */
  left: number;
  /** Resolves or rejects the caller's promise. Only the first call has an effect. */
  readonly end: (result: { readonly error: unknown } | "answered") => void;
};

type Piece = { readonly waiting: Waiting; readonly unit: ScreeningUnit };

/** The thread's result for a unit, and the thread time that it took. */
export type UnitResult = { readonly spentMs: number } & (
  | { readonly hits: UnitHits }
  | { readonly error: unknown }
);

/**
 * The queue of requests in front of an index thread. Parties and wallets are sent to the thread one
 * by one, and merchants take turns. Units whose caller no longer waits are dropped.
 */
export function openWaitingLine(post: (unit: ScreeningUnit) => void) {
  const queue = createFairQueue<Piece>(waitingMax);
  const sent: (Piece & { readonly merchant: string; readonly expectedMs: number })[] = [];
  const open = new Set<Waiting>();

  const send = (): void => {
    let sentMs = sent.reduce((sum, each) => sum + each.expectedMs, 0);
    while (sent.length < sentMin || sentMs < sentBudgetMs) {
      const next = queue.take();
      if (next === undefined) return;
      const { item, merchant, expectedMs } = next;
      sentMs += expectedMs;
      sent.push({ ...item, merchant, expectedMs });
      post(item.unit);
    }
  };
  const wait = (
    request: ScreeningQuery,
    units: readonly ScreeningUnit[],
    { merchantId, signal }: Waiter,
  ): Promise<Finding> => {
    const { promise, resolve, reject } = Promise.withResolvers<Finding>();
    const leave = () => waiting.end({ error: unavailable() });
    const waiting: Waiting = {
      results: [],
      left: units.length,
      end: (result) => {
        if (!open.delete(waiting)) return;
        signal?.removeEventListener("abort", leave);
        queue.drop(merchantId, (each) => each.waiting === waiting);
        if (result === "answered") resolve(findingOf(request, waiting.results));
        else reject(result.error);
      },
    };
    const pieces = units.map((unit) => ({ waiting, unit }));
    if (!queue.add(merchantId, pieces)) return Promise.reject(unavailable());
    open.add(waiting);
    signal?.addEventListener("abort", leave);
    send();
    return promise;
  };
  return {
    isIdle: () => sent.length === 0 && queue.size === 0,
    screen: (request: ScreeningQuery, waiter: Waiter): Promise<Finding> => {
      const units = unitsOf(request);
      if (waiter.signal?.aborted === true) return Promise.reject(unavailable());
      if (units.length === 0) return Promise.resolve(findingOf(request, []));
      return wait(request, units, waiter);
    },
    /** Takes the thread's result for the unit that was sent first. */
    take: (result: UnitResult): void => {
      const piece = sent.shift();
      if (piece === undefined)
        throw new Error("the index thread sent a result, but no unit was waiting for one");
      queue.spend(piece.merchant, result.spentMs);
      send();
      applyResult(piece, result);
    },
    /** Rejects every request, because the thread has ended. */
    refuseAll: (): void => {
      sent.length = 0;
      for (const waiting of open) waiting.end({ error: unavailable() });
    },
  };
}

/**
 * Stores a unit's result. A request ends after the result of its last unit, or at the first error.
 */
function applyResult({ waiting, unit }: Piece, result: UnitResult): void {
  if ("error" in result) {
    waiting.end({ error: result.error });
    return;
  }
  waiting.results[unit.at] = result.hits;
  waiting.left -= 1;
  if (waiting.left === 0) waiting.end("answered");
}

/** The error of a request that was not compared. The caller must not treat the party as clear. */
export function unavailable(): Error {
  return refusalError(refusals, refused("INDEX_UNAVAILABLE"));
}
