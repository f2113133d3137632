/** Interval at which the window is adjusted. Several fresh deliveries start in this time. */
const judgeEveryMs = 250;
/**
 * Fresh deliveries may be delayed by up to 1.5 times the baseline, plus 5 ms for the inaccuracy of
 * timers.
 */
const toleratedRatio = 1.5;
const toleratedMs = 5;
/**
 * Number of adjustments in which the window grows from its minimum to its maximum. They take a few
 * seconds.
 */
const growthSteps = 14;
const backOff = 0.7;
/**
 * Minimum number of measured delays. With fewer, one stall of the machine would dominate their
 * mean.
 */
const samplesMin = 8;
/**
 * The baseline is the lowest smoothed mean. The means are smoothed over this many, as TCP smooths
 * round-trip times. The mean of 8 delays varies by a third. Without smoothing, the lowest mean
 * would be an outlier, and every usual mean would count as a delay.
 */
const smoothedOver = 8;
/**
 * Growth of the baseline per adjustment. It takes at least 10 s to double, so that it doesn't adapt
 * to congestion.
 */
const baselineGrowth = 2 ** (judgeEveryMs / 10_000);

/**
 * Limits how many backlog deliveries may be claimed. Fresh deliveries that wait in the queue don't
 * count.
 */
export type Pace = Pick<ReturnType<typeof createBacklogPace>, "allowed" | "claimed">;

/**
 * The window is the maximum number of backlog deliveries in flight. It lies between a guaranteed
 * share and an upper limit. The backlog uses the capacity that fresh deliveries leave, like a
 * background transfer beside interactive traffic (LEDBAT, RFC 6817). The mean queueing delay of
 * fresh deliveries is compared with a baseline, which is the lowest smoothed mean. The baseline can
 * rise only while the backlog uses no more than its guaranteed share. If the delay is within the
 * tolerance, the window grows by a step. Otherwise it shrinks by a factor (AIMD). A window that is
 * not used also shrinks, because its effect on the delay is unknown (RFC 7661).
 */
export function createBacklogPace(
  { least, most }: { readonly least: number; readonly most: number },
  /** A monotonic clock in milliseconds. */
  elapsed: () => number,
) {
  const step = Math.max(1, (most - least) / growthSteps);
  let window = least;
  let [means, smoothedMs] = [0, 0];
  let baselineMs: number | undefined;
  let judgedAtMs = elapsed();
  let granted = 0;
  let [delays, delayMs, peak] = [0, 0, 0];
  let isUsed = false;

  /**
   * Returns true if fresh deliveries started too late. Also updates the baseline if that is
   * allowed.
   */
  const isDelaying = (): boolean => {
    if (delays < samplesMin) return false;
    const meanMs = delayMs / delays;
    [delays, delayMs] = [0, 0];
    means = Math.min(means + 1, smoothedOver);
    smoothedMs += (meanMs - smoothedMs) / means;
    const mayGrow = peak <= least;
    baselineMs = Math.min(smoothedMs, (baselineMs ?? smoothedMs) * (mayGrow ? baselineGrowth : 1));
    return meanMs > baselineMs * toleratedRatio + toleratedMs;
  };
  const judge = (): void => {
    const grows = !isDelaying() && isUsed;
    window = grows ? Math.min(most, window + step) : Math.max(least, window * backOff);
    peak = 0;
    isUsed = false;
  };

  return {
    /**
     * Returns how many backlog deliveries may be claimed now. `inFlight` is the number already in
     * flight.
     */
    allowed: (inFlight: number): number => {
      if (elapsed() - judgedAtMs >= judgeEveryMs) {
        judge();
        judgedAtMs = elapsed();
      }
      granted = Math.max(0, Math.floor(window) - inFlight);
      peak = Math.max(peak, inFlight);
      return granted;
    },
    /** Reports the number of deliveries that were claimed after `allowed`. */
    claimed: (count: number): void => {
      peak = Math.max(peak, Math.floor(window) - granted + count);
      isUsed ||= count >= granted;
    },
    /** Reports the delay between the due time and the start of a fresh delivery. */
    freshStarted: (ms: number): void => {
      delays += 1;
      delayMs += Math.max(0, ms);
    },
  };
}
