import type { LoopEnd } from "./load-protocol.ts";

/** How a loop went: each request's time, and the time from the first to the end of the last. */
export type LoopTimes = { readonly latenciesMs: number[]; readonly elapsedMs: number };

/**
 * Asks with `concurrency` askers, each of which asks again when it was answered. Ends when it is
 * time or when `ask` answers `false`, which counts as no request. What an asker throws ends all.
 */
export async function closedLoop(
  { concurrency, end }: { readonly concurrency: number; readonly end: LoopEnd },
  ask: () => Promise<boolean>,
): Promise<LoopTimes> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = "seconds" in end ? startedAt + end.seconds * 1_000 : Number.POSITIVE_INFINITY;
  let left = "requests" in end ? end.requests : Number.POSITIVE_INFINITY;
  let failed = false;
  const asker = async () => {
    while (left > 0 && !failed && performance.now() < endsAt) {
      left -= 1;
      const askedAt = performance.now();
      try {
        if (!(await ask())) return;
      } catch (error) {
        failed = true;
        throw error;
      }
      latenciesMs.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, asker));
  return { latenciesMs, elapsedMs: performance.now() - startedAt };
}
