import { describe, expect, it } from "vitest";
import { isHeld } from "./accounts.ts";
import type { LedgerCollections } from "./documents.ts";
import { movementKey } from "./rules/account.ts";
import { reservationKeys } from "./rules/movement.ts";

const [reserve = "", unreserve = ""] = reservationKeys("order");
const hold = movementKey("hold", "hold");
const release = movementKey("hold", "release");
const keys = [reserve, unreserve, hold, release];

/** The database at one time: the entries in the account, and those in the ledger. */
type State = { readonly recent: readonly string[]; readonly recorded: readonly string[] };

/** An account whose reservation becomes a hold. Its entries are recorded one by one. */
function turns(recordedFirst: string, recordedThen: string): State[] {
  const moved = [reserve, unreserve, hold];
  return [
    { recent: [reserve], recorded: [] },
    { recent: [], recorded: [reserve] },
    { recent: [unreserve, hold], recorded: [reserve] },
    { recent: [unreserve, hold], recorded: [reserve, recordedFirst] },
    { recent: [unreserve, hold], recorded: [reserve, recordedFirst, recordedThen] },
    { recent: [], recorded: moved },
  ];
}

/**
 * Serves one state to each read of the account or of an entry, in their order. A find of the
 * database isn't a snapshot, so each key is read at its own time.
 */
function reading(states: readonly State[], times: readonly number[], keyOrder: readonly string[]) {
  let reads = 0;
  const next = (): State => {
    const at = times[Math.min(reads, times.length - 1)] ?? 0;
    reads += 1;
    return states[at] ?? { recent: [], recorded: [] };
  };
  const accounts = {
    findOne: async () => ({ recent: next().recent.map((key) => ({ key })) }),
  };
  const entries = {
    find: ({ _id }: { readonly _id: { readonly $in: readonly string[] } }) => ({
      toArray: async () =>
        keyOrder
          .filter((key) => _id.$in.includes(key) && next().recorded.includes(key))
          .map((key) => ({ _id: key })),
    }),
  };
  return { accounts, entries } as unknown as LedgerCollections;
}

/** Returns every sequence of `length` times that doesn't go back. */
function sequences(length: number, from: number, end: number): number[][] {
  if (length === 0) return [[]];
  return Array.from({ length: end - from }, (_each, at) => from + at).flatMap((first) =>
    sequences(length - 1, first, end).map((rest) => [first, ...rest]),
  );
}

describe("a hold that takes its order's reservation", () => {
  it.each([
    ["the reservation's end first", turns(unreserve, hold)],
    ["the hold first", turns(hold, unreserve)],
  ])("is held at any time of the reads, if the ledger gets %s", async (_what, states) => {
    const missed: number[][] = [];
    for (const keyOrder of [keys, keys.toReversed()]) {
      // A read of the account and of four entries. A second reading starts at the last time.
      for (const times of sequences(6, 0, states.length)) {
        const collections = reading(states, times, keyOrder);
        if (!(await isHeld(collections, "acc_1", "hold", "order"))) missed.push(times);
      }
    }
    expect(missed).toEqual([]);
  });

  it.each([
    ["it was released", [reserve, unreserve, hold, release]],
    ["the order ended without it", [reserve, unreserve]],
    ["nothing was reserved", []],
  ])("is not held if %s", async (_what, recorded) => {
    const collections = reading([{ recent: [], recorded }], [0], keys);
    expect(await isHeld(collections, "acc_1", "hold", "order")).toBe(false);
  });
});
