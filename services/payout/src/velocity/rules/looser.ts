import type { Limit } from "./window.ts";

/** Whether limits let through what those in force do not: one is gone, or is higher. */
export function isLooser(inForce: readonly Limit[], wanted: readonly Limit[]): boolean {
  return inForce.some(({ window, currency, max }) => {
    const same = wanted.find((each) => each.window === window && each.currency === currency);
    return same === undefined || same.max > max;
  });
}
