/**
 * Milliseconds of the machine's monotonic clock: the same moment reads the same in every process,
 * which `performance.now()` does not.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
