/** Interval between judgements, long enough for several fresh starts. */
const judgeEveryMs = 250;
/** Tolerates delays of fresh deliveries up to 1.5 times the baseline plus timer noise of 5 ms. */
const toleratedRatio = 1.5;
const toleratedMs = 5;
/** The window grows from least to most in this many judgements, a few seconds. */
const growthSteps = 14;
const backOff = 0.7;
/** Fewer delays are not conclusive, because one stall of the machine would dominate them. */
const samplesMin = 8;
/**
 * The baseline follows means smoothed over this many, as TCP does with round trips. The mean of 8
 * delays varies by a third. The lowest of many would be an outlier, and every usual mean would then
 * count as a delay.
 */
const smoothedOver = 8;
/** The baseline doubles in 10 s at most, so that it can't adapt to congestion. */
const baselineGrowth = 2 ** (judgeEveryMs / 10_000);

/** Limits how many backlog deliveries may be claimed. Queued fresh deliveries don't count. */
export type Pace = Pick<ReturnType<typeof createBacklogPace>, "allowed" | "claimed">;

/**
 * The window is the number of backlog deliveries that may be in flight, between a guaranteed share
 * and a maximum. It uses the latency that fresh deliveries leave, as a background transfer does
 * beside interactive traffic (LEDBAT, RFC 6817). Their mean queueing delay is compared with a
 * baseline, the lowest smoothed mean. The baseline rises only while the backlog uses at most its
 * guaranteed share. Within the tolerance the window grows by a step; beyond it the window shrinks
 * by a factor (AIMD). An unused window also shrinks, because its effect on latency is unknown (RFC
 * 7661).
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

  /** Returns true if fresh deliveries started too late. Updates the baseline where allowed. */
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
    /** Returns how many may be claimed now, given the number in flight. */
    allowed: (inFlight: number): number => {
      if (elapsed() - judgedAtMs >= judgeEveryMs) {
        judge();
        judgedAtMs = elapsed();
      }
      granted = Math.max(0, Math.floor(window) - inFlight);
      peak = Math.max(peak, inFlight);
      return granted;
    },
    /** Reports how many were claimed after `allowed`. */
    claimed: (count: number): void => {
      peak = Math.max(peak, Math.floor(window) - granted + count);
      isUsed ||= count >= granted;
    },
    /** Reports the delay between a fresh delivery's due time and its start. */
    freshStarted: (ms: number): void => {
      delays += 1;
      delayMs += Math.max(0, ms);
    },
  };
}
