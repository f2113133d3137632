/** How often a window is judged: long enough to hold several fresh starts. */
const judgeEveryMs = 250;
/** Fresh deliveries may wait half as long again as the baseline; timers differ by 5 ms. */
const toleratedRatio = 1.5;
const toleratedMs = 5;
/** The window grows from least to most in so many judgements: some seconds. */
const growthSteps = 14;
const backOff = 0.7;
/** Fewer delays are no measurement: one stall of the machine would decide. */
const samplesMin = 8;
/**
 * The baseline follows means smoothed over so many, as TCP does with round trips. The mean of 8
 * delays differs from the usual by a third: the lowest of many would be a lucky one, and every
 * usual mean would count as a delay.
 */
const smoothedOver = 8;
/** The baseline doubles in 10 s at most: congestion must not pass for the usual delay. */
const baselineGrowth = 2 ** (judgeEveryMs / 10_000);

/** How many deliveries of a backlog may be claimed; queued fresh deliveries are no part of it. */
export type Pace = Pick<ReturnType<typeof createBacklogPace>, "allowed" | "claimed">;

/**
 * The window of a backlog: how many of its deliveries may be in flight, from a guaranteed share to
 * the most that it may ever have. It takes what the latency of fresh deliveries leaves, as a
 * background transfer does beside interactive traffic (LEDBAT, RFC 6817). Their mean queueing delay
 * is held against a baseline: the lowest smoothed mean, which rises only while the backlog has no
 * more than its guaranteed share. Within the tolerance the window grows by a step, beyond it
 * shrinks by a factor (AIMD). A window that is not used shrinks too, for what it would cost is
 * unknown (RFC 7661).
 */
export function createBacklogPace(
  { least, most }: { readonly least: number; readonly most: number },
  /** Milliseconds of a monotonic clock. */
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

  /** Whether fresh deliveries started later than they may; takes their baseline where it can. */
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
    /** How many may be claimed now, where so many are in flight. */
    allowed: (inFlight: number): number => {
      if (elapsed() - judgedAtMs >= judgeEveryMs) {
        judge();
        judgedAtMs = elapsed();
      }
      granted = Math.max(0, Math.floor(window) - inFlight);
      peak = Math.max(peak, inFlight);
      return granted;
    },
    /** So many were, of those that were allowed. */
    claimed: (count: number): void => {
      peak = Math.max(peak, Math.floor(window) - granted + count);
      isUsed ||= count >= granted;
    },
    /** A fresh delivery started so long after it was due. */
    freshStarted: (ms: number): void => {
      delays += 1;
      delayMs += Math.max(0, ms);
    },
  };
}
