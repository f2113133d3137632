import { setTimeout as pause } from "node:timers/promises";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { FaultPlatform } from "../platform.ts";
import type { Load } from "./load.ts";

/** What was under way when a fault struck. */
export type InFlight = { readonly calls: ReadonlySet<symbol>; readonly at: Date };

/** How long what was under way took to get done, once everything was up again. */
export type Recovered = {
  /** Until every call was answered. */
  readonly callsMs: number;
  /** Until every payout was at its end. */
  readonly payoutsMs: number;
  /** Until every webhook of that time was acknowledged. */
  readonly webhooksMs: number;
};

/** What takes longer counts as this long. */
const patienceMs = 60_000;
const pollEveryMs = 50;

/** Notes what is under way now. */
export function inFlightNow(load: Load): InFlight {
  return { calls: load.waiting(), at: new Date() };
}

/** Waits until what was under way is done. */
export async function untilRecovered(
  platform: FaultPlatform,
  load: Load,
  { calls, at }: InFlight,
): Promise<Recovered> {
  const startedAt = performance.now();
  const merchant = { merchant_id: platform.merchantId };
  const before = { created_at: { $lte: at } };
  const payouts = () =>
    collectionOf(platform.databases(), "payouts").countDocuments(
      { ...merchant, status: "initiated", ...before },
      { limit: 1 },
    );
  const deliveries = () =>
    collectionOf(platform.databases(), "deliveries").countDocuments(
      { ...merchant, state: "pending", ...before } as object,
      { limit: 1 },
    );
  const until = async (isDone: () => Promise<boolean>): Promise<number> => {
    for (;;) {
      const tookMs = Math.round(performance.now() - startedAt);
      if (tookMs > patienceMs || (await isDone())) return tookMs;
      await pause(pollEveryMs);
    }
  };
  const [callsMs, payoutsMs, webhooksMs] = await Promise.all([
    until(async () => [...load.waiting()].every((call) => !calls.has(call))),
    until(async () => (await payouts()) === 0),
    until(async () => (await deliveries()) === 0),
  ]);
  return { callsMs, payoutsMs, webhooksMs };
}

/** The largest and the middle one of some times. */
export function spreadOf(times: readonly number[]): { max: number; median: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return { max: sorted.at(-1) ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}
