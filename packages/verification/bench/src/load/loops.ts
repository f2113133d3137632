import { setTimeout as pause } from "node:timers/promises";
import { median } from "../measures/percentile.ts";

/** When a closed loop ends: after a time, or after a number of requests. */
export type LoopEnd = { readonly seconds: number } | { readonly requests: number };

/** Clients that each send their next request after an answer. */
export type ClosedPace = { readonly concurrency: number; readonly end: LoopEnd };

/** Requests at fixed moments, however long the answers take. */
export type OpenPace = {
  readonly perSecond: number;
  readonly seconds: number;
  /** The loop ends early with this many requests in flight: the platform does not keep up. */
  readonly inFlightMax: number;
};

/** A request: when it began or was due, from the start of its loop, and its latency. */
export type Sample = { readonly atMs: number; readonly latencyMs: number };

/** The result of a loop. */
export type LoopTimes = {
  readonly samples: readonly Sample[];
  /** From the first request to the end of the last. */
  readonly elapsedMs: number;
  readonly keptUp: boolean;
};

/**
 * Runs a loop. `request` returns `false` if nothing is left to request. The first error ends the
 * loop, after the requests in flight.
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

/** A latency counts from the moment at which a request was due, so a late start counts as well. */
async function runOpen(pace: OpenPace, one: RunOne, sinceStart: () => number) {
  const running = new Set<Promise<boolean>>();
  const total = Math.ceil(pace.perSecond * pace.seconds);
  let started = 0;
  let isGoing = true;
  while (isGoing && started < total && running.size < pace.inFlightMax) {
    const dueMs = (started * 1_000) / pace.perSecond;
    await pause(Math.max(0, dueMs - sinceStart()));
    const tracked = one(dueMs).finally(() => running.delete(tracked));
    void tracked.then((isMade) => {
      isGoing = isGoing && isMade;
    });
    running.add(tracked);
    started += 1;
  }
  await Promise.all(running);
  return started === total;
}

/** The second half of a loop may be slower than the first by this factor: that is noise. */
const slowerMax = 1.1;

/** Compares the medians of both halves: a growing queue makes the second half slower. */
export function isSteady(samples: readonly Sample[]): boolean {
  const inOrder = samples.toSorted((one, other) => one.atMs - other.atMs);
  const half = Math.floor(inOrder.length / 2);
  const medianOf = (part: readonly Sample[]) => median(part.map(({ latencyMs }) => latencyMs));
  const first = medianOf(inOrder.slice(0, half));
  return half === 0 || medianOf(inOrder.slice(half)) <= first * slowerMax;
}
