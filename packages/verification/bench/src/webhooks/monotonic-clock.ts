/**
 * Milliseconds of the machine's monotonic clock: the same moment reads the same in every process,
 * which `performance.now()` does not.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves at a moment of that clock, or up to a millisecond later. */
export function untilMs(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - monotonicMs())));
}
