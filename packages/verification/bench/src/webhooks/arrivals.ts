import { until } from "@disburse/harness/waiting.ts";
import type { Receipt } from "../load/receiver-process.ts";
import { type Endpoint, endpointOf } from "./endpoints.ts";
import { readSessionId } from "./events.ts";

/** The webhooks that came, by run. */
export type Arrivals = ReturnType<typeof createArrivals>;

const everyMs = 50;

/** Counts the webhooks that come to these endpoints. */
export function createArrivals(endpoints: readonly Endpoint[]) {
  const runs = new Map<string, Map<number, number>>();
  const faults = { duplicates: 0, misrouted: 0 };
  const firstOf = (run: string) => runs.getOrInsert(run, new Map<number, number>());
  const countOf = (run: string): number => firstOf(run).size;
  return {
    countOf,
    add: ({ transactionId, receiver, atMs }: Receipt) => {
      const name = readSessionId(transactionId);
      if (name === undefined) return;
      const first = firstOf(name.run);
      if (endpointOf(endpoints, name.number).at !== receiver) faults.misrouted += 1;
      if (first.has(name.number)) faults.duplicates += 1;
      else first.set(name.number, atMs);
    },
    /** The number of each event that came, and the time of its first webhook. */
    firstAtMs: (run: string) => [...firstOf(run)],
    lastAtMs: (run: string) => [...firstOf(run).values()].reduce((a, b) => Math.max(a, b), 0),
    faults: () => ({ ...faults }),
    /** Waits until so many events of a run have come, or until it is too late. */
    untilAll: (run: string, count: number, timeoutMs: number) =>
      until(() => countOf(run) >= count, { timeoutMs, everyMs }),
  };
}
