/** Deliveries a millisecond: at first and at least, and at most. */
const paceMin = 0.8;
const paceMax = 4;
/** So much of the thread's time leaves what is fresh its part. */
const busyEnough = 0.5;
const tooBusy = 0.6;
/** What a pace costs shows after so long. */
const judgeEveryMs = 250;
const faster = 1.1;
const slower = 0.8;
/** What was not used in so long is not made up for. */
const burstMs = 50;

/** How much of what has waited may start; news that found no slot are no part of it. */
export type Pace = {
  /** How many may be claimed now. */
  allowed(): number;
  /** So many were, of those that were allowed. */
  claimed(count: number): void;
};

/**
 * How fast a backlog goes out: evenly, and no faster than the thread can do beside what is fresh.
 * It begins at 800 a second, and grows as long as it is used to the full and time is left.
 */
export function createPace(
  /** Milliseconds of a clock that nobody sets. */
  elapsed: () => number,
  /** The share of its time that the thread has worked since this was asked last, 0 to 1. */
  busy: () => number,
): Pace {
  let perMs = paceMin;
  let credit = paceMin * burstMs;
  let countedAtMs = 0;
  let judgedAtMs = 0;
  let granted = 0;
  let isUsed = false;

  const judge = (nowMs: number): void => {
    if (nowMs - judgedAtMs < judgeEveryMs) return;
    judgedAtMs = nowMs;
    const share = busy();
    if (!isUsed || share > tooBusy) perMs = Math.max(paceMin, perMs * slower);
    else if (share < busyEnough) perMs = Math.min(paceMax, perMs * faster);
    isUsed = false;
  };
  return {
    allowed: () => {
      const nowMs = elapsed();
      judge(nowMs);
      credit = Math.min(credit + (nowMs - countedAtMs) * perMs, burstMs * perMs);
      countedAtMs = nowMs;
      granted = Math.max(1, Math.floor(credit));
      return granted;
    },
    claimed: (count) => {
      isUsed ||= count >= granted;
      credit = Math.max(0, credit - count);
    },
  };
}
