import { setTimeout as pause } from "node:timers/promises";

/** When a closed loop ends: after a time, or after a number of requests. */
export type LoopEnd = { readonly seconds: number } | { readonly requests: number };

/** How a loop went: each request's time, and the time from the first to the end of the last. */
export type LoopTimes = { readonly latenciesMs: number[]; readonly elapsedMs: number };

/**
 * Runs `concurrency` clients, each of which sends its next request after an answer. Ends on time
 * or when `request` answers `false`, which counts as no request. What a client throws ends all.
 */
export async function closedLoop(
  { concurrency, end }: { readonly concurrency: number; readonly end: LoopEnd },
  request: () => Promise<boolean>,
): Promise<LoopTimes> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = "seconds" in end ? startedAt + end.seconds * 1_000 : Number.POSITIVE_INFINITY;
  let left = "requests" in end ? end.requests : Number.POSITIVE_INFINITY;
  let failed = false;
  const client = async () => {
    while (left > 0 && !failed && performance.now() < endsAt) {
      left -= 1;
      const sentAt = performance.now();
      try {
        if (!(await request())) return;
      } catch (error) {
        failed = true;
        throw error;
      }
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { latenciesMs, elapsedMs: performance.now() - startedAt };
}

/** Requests at fixed moments, however long the answers take. */
export type OpenPace = {
  readonly perSecond: number;
  readonly seconds: number;
  /** The loop ends early where so many are under way: what is asked does not keep up. */
  readonly inFlightMax: number;
};

/**
 * Starts each request at its own moment and waits for all of them. A latency counts from that
 * moment, so a load that comes late counts as well. What a request throws ends the loop.
 */
export async function openLoop(
  { perSecond, seconds, inFlightMax }: OpenPace,
  request: () => Promise<boolean>,
): Promise<LoopTimes & { readonly keptUp: boolean }> {
  const latenciesMs: number[] = [];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const total = Math.ceil(perSecond * seconds);
  const startedAt = performance.now();
  const one = async (dueAt: number) => {
    try {
      if (await request()) latenciesMs.push(performance.now() - dueAt);
    } catch (error) {
      failures.push(error);
    }
  };
  let started = 0;
  while (started < total && running.size < inFlightMax && failures.length === 0) {
    const dueAt = startedAt + (started * 1_000) / perSecond;
    await pause(Math.max(0, dueAt - performance.now()));
    const tracked = one(dueAt).finally(() => running.delete(tracked));
    running.add(tracked);
    started += 1;
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return { latenciesMs, elapsedMs: performance.now() - startedAt, keptUp: started === total };
}
