/** Deliveries a millisecond: at first and at least, and at most. */
const paceMin = 0.74;
const paceMax = 4;
/** So much of the thread's time leaves what is fresh its part. */
const busyEnough = 0.5;
const tooBusy = 0.6;
/** Fresh ones a millisecond: from so many on a faster backlog shows in how long they take. */
const freshMany = 0.02;
/** What a pace costs shows after so long. */
const judgeEveryMs = 250;
const faster = 1.1;
const slower = 0.8;
/** A round claims no more than comes together in so long, however late it is. */
const burstMs = 50;
/** What rounds were late is made up for by the next ones, as long as there is enough to claim. */
const catchUpMs = 1_000;

/** How much of what has waited may start; news that found no slot are no part of it. */
export type Pace = {
  /** How many may be claimed now; `fresh` is how many fresh ones were admitted so far. */
  allowed(fresh: number): number;
  /** So many were, of those that were allowed. */
  claimed(count: number): void;
};

/**
 * How fast a backlog goes out: evenly, at 740 a second. It grows as long as it is used to the full,
 * hardly anything fresh comes that it could delay, and the thread has time left.
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
  let isFull = false;
  let isUsed = false;
  let freshBefore = 0;

  const judge = (nowMs: number, fresh: number): void => {
    const sinceMs = nowMs - judgedAtMs;
    if (sinceMs < judgeEveryMs) return;
    const isDelaying = fresh - freshBefore >= freshMany * sinceMs;
    const share = busy();
    if (!isUsed || isDelaying || share > tooBusy) perMs = Math.max(paceMin, perMs * slower);
    else if (share < busyEnough) perMs = Math.min(paceMax, perMs * faster);
    judgedAtMs = nowMs;
    freshBefore = fresh;
    isUsed = false;
  };
  return {
    allowed: (fresh) => {
      const nowMs = elapsed();
      judge(nowMs, fresh);
      const keptMs = isFull ? catchUpMs : burstMs;
      credit = Math.min(credit + (nowMs - countedAtMs) * perMs, keptMs * perMs);
      countedAtMs = nowMs;
      granted = Math.max(1, Math.floor(Math.min(credit, burstMs * perMs)));
      isFull = false;
      return granted;
    },
    claimed: (count) => {
      isFull = count >= granted;
      isUsed ||= isFull;
      credit = Math.max(0, credit - count);
    },
  };
}
