/** Needed because `Math.min` takes numbers only. */
export function leastOf(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const each of others) if (each < found) found = each;
  return found;
}

/** Needed because `Math.max` takes numbers only. */
export function greatestOf(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const each of others) if (each > found) found = each;
  return found;
}
