/** The first try after a failure; each one after it waits twice as long. */
const firstRetryMs = 300_000;
const hourMs = 3_600_000;
/** Waits are up to a tenth longer or shorter, so that many processes do not ask at one moment. */
const jitterShare = 0.1;

/**
 * When a source is checked again: after its own interval, or sooner when the last `failures`
 * checks in a row failed. `chance` is in [0, 1).
 */
export function nextCheckAt(now: Date, everyHours: number, failures: number, chance: number): Date {
  const everyMs = everyHours * hourMs;
  const waitMs =
    failures === 0 ? everyMs : Math.min(everyMs, firstRetryMs * 2 ** Math.min(failures - 1, 30));
  const jitter = 1 + jitterShare * (2 * chance - 1);
  return new Date(now.getTime() + Math.round(waitMs * jitter));
}
