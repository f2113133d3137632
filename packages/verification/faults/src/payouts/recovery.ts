import { until } from "@disburse/harness/waiting.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { FaultPlatform } from "../platform.ts";
import type { Load } from "./load.ts";

/** The pending calls and the time when a fault occurred. */
export type InFlight = { readonly calls: ReadonlySet<symbol>; readonly at: Date };

/**
 * Recovery times in milliseconds, measured from the moment when everything was running again. They
 * end when earlier calls were answered, payouts were final and webhooks were acknowledged.
 */
export type Recovered = Readonly<Record<"calls" | "payouts" | "webhooks", number>>;

/** Recovery is measured only up to this time. */
const patience = { timeoutMs: 60_000, everyMs: 50 };

export function inFlightNow(load: Load): InFlight {
  return { calls: load.waiting(), at: new Date() };
}

/** Waits until earlier calls, payouts and webhooks are complete. */
export async function untilRecovered(
  platform: FaultPlatform,
  load: Load,
  { calls, at }: InFlight,
): Promise<Recovered> {
  const startedAt = performance.now();
  const owned = { merchant_id: platform.merchantId, created_at: { $lte: at } };
  const isNone = async (name: "payouts" | "deliveries", filter: object) => {
    const found = collectionOf(platform.databases(), name);
    return (await found.countDocuments({ ...owned, ...filter }, { limit: 1 })) === 0;
  };
  const msUntil = async (isDone: () => boolean | Promise<boolean>): Promise<number> => {
    await until(isDone, patience);
    return Math.round(performance.now() - startedAt);
  };
  const [answered, paid, notified] = await Promise.all([
    msUntil(() => load.waiting().isDisjointFrom(calls)),
    msUntil(() => isNone("payouts", { status: "initiated" })),
    msUntil(() => isNone("deliveries", { state: "pending" })),
  ]);
  return { calls: answered, payouts: paid, webhooks: notified };
}

/** Returns the maximum and the median. */
export function spreadOf(times: readonly number[]): { max: number; median: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return { max: sorted.at(-1) ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}
