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
 * The maximum number of waiting names and wallets, for one merchant and for all: seconds of work at
 * a few milliseconds each. A caller beyond it would time out. The limit for one merchant leaves
 * capacity for others.
 */
const waitingMax = { ofOne: 500, ofAll: 4_000 };
/**
 * Work sent to the thread ahead: the current unit and the next one, so that the thread never idles,
 * or more units of low cost. A new request waits at least this long.
 */
const sentMin = 2;
const sentBudgetMs = 10;

/** A request with units that are waiting or being compared. */
type Waiting = {
  readonly results: UnitHits[];
  /** The number of units without a result. */
  left: number;
  /** Settles the caller's promise; later calls do nothing. */
  readonly end: (result: { readonly error: unknown } | "answered") => void;
};

type Piece = { readonly waiting: Waiting; readonly unit: ScreeningUnit };

/** The thread's result for a unit, and the thread time that it took. */
export type UnitResult = { readonly spentMs: number } & (
  | { readonly hits: UnitHits }
  | { readonly error: unknown }
);

/**
 * The queue of requests before the thread of an index. The thread gets their parties and wallets
 * one by one, each merchant's in turn, and none that no caller is waiting for.
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
      if (piece === undefined) throw new Error("a result without a unit");
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

/** A request ends with the last result of its units, or with the first error. */
function applyResult({ waiting, unit }: Piece, result: UnitResult): void {
  if ("error" in result) {
    waiting.end({ error: result.error });
    return;
  }
  waiting.results[unit.at] = result.hits;
  waiting.left -= 1;
  if (waiting.left === 0) waiting.end("answered");
}

/** Nothing was compared, so nothing is cleared. */
export function unavailable(): Error {
  return refusalError(refusals, refused("INDEX_UNAVAILABLE"));
}
