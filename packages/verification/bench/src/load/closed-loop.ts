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
