import type { LedgerEntry } from "./account.ts";

/** The merchant's threshold in minor units, and if the balance was below it. */
export type Watched = { readonly threshold: bigint; readonly wasLow: boolean };

/** A fall of the available balance below the threshold. */
export type Fall = { readonly sequence: number; readonly available: bigint; readonly at: Date };

/**
 * Returns each fall below the threshold, in the order of the entries. After a fall, the next one
 * requires a balance at or above the threshold in between. `available` is the balance before the
 * entries. A process of a release without thresholds may have moved it past the threshold.
 */
export function fallsIn(
  { threshold, wasLow }: Watched,
  available: bigint,
  entries: readonly Pick<LedgerEntry, "sequence" | "available" | "createdAt">[],
): { readonly isLow: boolean; readonly falls: readonly Fall[] } {
  let isLow = wasLow && available < threshold;
  const falls: Fall[] = [];
  for (const { sequence, available: after, createdAt: at } of entries) {
    const isBelow = after < threshold;
    if (isBelow && !isLow) falls.push({ sequence, available: after, at });
    isLow = isBelow;
  }
  return { isLow, falls };
}

/**
 * Decides on a new threshold. A balance that is already below it counts as a fall, unless it was
 * below the previous threshold too.
 */
export function atNewThreshold({ threshold, wasLow }: Watched, available: bigint) {
  const isLow = available < threshold;
  return { isLow, isFall: isLow && !wasLow };
}
