import type { Receipts } from "./receiver-process.ts";

/** A run's events as they were to be published: event n at `startsAtMs + n * everyMs`. */
export type Plan = {
  readonly startsAtMs: number;
  readonly everyMs: number;
  /** The numbers of the events whose receiver answers. */
  readonly expected: readonly number[];
};

/** How long an event took, and when it should have been published. */
export type Sample = { readonly dueAtMs: number; readonly latencyMs: number };

/** The result of a run. */
export type RunOutcome = {
  /** Of each event that has come, in the order of their publication. */
  readonly samples: readonly Sample[];
  /** Events that did not arrive. */
  readonly lost: number;
  /** Requests beyond each event's first. */
  readonly duplicates: number;
  /** Requests at another endpoint than the event's. */
  readonly misrouted: number;
};

/** Compares what arrived with what was planned. */
export function outcomeOf({ startsAtMs, everyMs, expected }: Plan, receipts: Receipts): RunOutcome {
  const samples = expected.flatMap((number): Sample[] => {
    const firstAtMs = receipts.firstAtMs.get(number);
    if (firstAtMs === undefined) return [];
    const dueAtMs = startsAtMs + number * everyMs;
    return [{ dueAtMs, latencyMs: firstAtMs - dueAtMs }];
  });
  const { duplicates, misrouted } = receipts;
  return { samples, lost: expected.length - samples.length, duplicates, misrouted };
}

/** Requests per second between two moments. */
export function rateBetween({ firstAtMs }: Receipts, fromMs: number, untilMs: number): number {
  let arrivals = 0;
  for (const at of firstAtMs.values()) if (at >= fromMs && at < untilMs) arrivals += 1;
  return (arrivals * 1_000) / (untilMs - fromMs);
}

/** One slow event in a second of 200 says nothing; two are its p99. */
const windowMs = 1_000;
const slowMax = 1;
/** What is back stays so for this many windows. */
const calmWindows = 3;

/**
 * How long after a moment the latency is back within a bound: until the first of three seconds in a
 * row in which at most one event each takes longer. `undefined` where that does not come.
 */
export function backAfterMs(
  samples: readonly Sample[],
  fromMs: number,
  boundMs: number,
): number | undefined {
  const lastDueMs = samples.at(-1)?.dueAtMs ?? fromMs;
  const windows = Math.floor((lastDueMs - fromMs) / windowMs);
  const slow = Array.from({ length: windows }, () => 0);
  for (const { dueAtMs, latencyMs } of samples) {
    const window = Math.floor((dueAtMs - fromMs) / windowMs);
    if (latencyMs > boundMs && window in slow) slow[window] = (slow[window] ?? 0) + 1;
  }
  const isCalm = (window: number) => slow.slice(window, window + calmWindows);
  for (let window = 0; window + calmWindows <= windows; window += 1) {
    if (isCalm(window).every((count) => count <= slowMax)) return window * windowMs;
  }
  return undefined;
}
