import { setTimeout as pause } from "node:timers/promises";
import { median } from "../measures/percentile.ts";

/** Ends a closed loop after a time or a number of requests. */
export type LoopEnd = { readonly seconds: number } | { readonly requests: number };

/** A closed loop: each client sends its next request after the previous response. */
export type ClosedPace = { readonly concurrency: number; readonly end: LoopEnd };

/** An open loop: requests are sent at fixed times, independent of responses. */
export type OpenPace = {
  readonly perSecond: number;
  readonly seconds: number;
  /**
   * Ends the loop early if this many requests are in flight, because the platform is then
   * overloaded.
   */
  readonly inFlightMax: number;
};

/**
 * The latency of a request, and the time when it began or was due, relative to the loop's start.
 */
export type Sample = { readonly atMs: number; readonly latencyMs: number };

export type LoopTimes = {
  readonly samples: readonly Sample[];
  readonly elapsedMs: number;
  readonly keptUp: boolean;
};

/**
 * Runs a loop until `request` returns `false`. The first error also ends the loop, after the
 * requests in flight.
 */
export async function runLoop(
  pace: ClosedPace | OpenPace,
  request: () => Promise<boolean>,
): Promise<LoopTimes> {
  const samples: Sample[] = [];
  const failures: unknown[] = [];
  const startedAt = performance.now();
  const one = async (atMs: number): Promise<boolean> => {
    try {
      if (!(await request())) return false;
      samples.push({ atMs, latencyMs: performance.now() - startedAt - atMs });
      return true;
    } catch (error) {
      failures.push(error);
      return false;
    }
  };
  const sinceStart = () => performance.now() - startedAt;
  const isWhole = await ("perSecond" in pace
    ? runOpen(pace, one, sinceStart)
    : runClosed(pace, one, sinceStart));
  if (failures.length > 0) throw failures[0];
  return { samples, elapsedMs: sinceStart(), keptUp: isWhole && isSteady(samples) };
}

type RunOne = (atMs: number) => Promise<boolean>;

async function runClosed({ concurrency, end }: ClosedPace, one: RunOne, sinceStart: () => number) {
  const endsAtMs = "seconds" in end ? end.seconds * 1_000 : Number.POSITIVE_INFINITY;
  let left = "requests" in end ? end.requests : Number.POSITIVE_INFINITY;
  const client = async () => {
    while (left > 0 && sinceStart() < endsAtMs) {
      left -= 1;
      if (!(await one(sinceStart()))) left = 0;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return true;
}

/**
 * Measures latency from the time when a request was due, so that a late start counts as latency.
 */
async function runOpen(pace: OpenPace, one: RunOne, sinceStart: () => number) {
  const running = new Set<Promise<boolean>>();
  const total = Math.ceil(pace.perSecond * pace.seconds);
  let started = 0;
  let isGoing = true;
  while (isGoing && started < total && running.size < pace.inFlightMax) {
    const dueMs = (started * 1_000) / pace.perSecond;
    await pause(Math.max(0, dueMs - sinceStart()));
    const tracked = one(dueMs).finally(() => running.delete(tracked));
    void tracked.then((hasRequested) => {
      isGoing = isGoing && hasRequested;
    });
    running.add(tracked);
    started += 1;
  }
  await Promise.all(running);
  return started === total;
}

/** A loop counts as steady if its second half is slower by at most this factor. */
const slowerMax = 1.1;

/** Compares the medians of both halves: a growing queue makes the second half slower. */
export function isSteady(samples: readonly Sample[]): boolean {
  const inOrder = samples.toSorted((one, other) => one.atMs - other.atMs);
  const half = Math.floor(inOrder.length / 2);
  const medianOf = (part: readonly Sample[]) => median(part.map(({ latencyMs }) => latencyMs));
  const first = medianOf(inOrder.slice(0, half));
  return half === 0 || medianOf(inOrder.slice(half)) <= first * slowerMax;
}
