import type { ListChange } from "./list-version.ts";

/** A publisher that takes so many off at once has more likely published a broken file. */
const lossPercentMax = 2;
/** Of a list under 50 entries, 2% would be none at all. */
const lossAlwaysTaken = 1;

/**
 * Why a list is refused for what it lost against the version in force; `undefined` where it may
 * come into force. Lost is what is no longer on it: a list that exchanges all its entries for
 * others has lost them all. `accepted` is the reason that a person gave for the loss, "" for none.
 */
export function lossProblem(
  change: ListChange,
  inForce: number,
  accepted: string,
): string | undefined {
  const taken = Math.max(lossAlwaysTaken, Math.floor((inForce * lossPercentMax) / 100));
  if (change.removed <= taken || accepted !== "") return undefined;
  const lost = `${change.removed} of the ${inForce} entries in force are missing`;
  return `${lost}, more than ${lossPercentMax}%: give accept_drop_reason where that is right`;
}
