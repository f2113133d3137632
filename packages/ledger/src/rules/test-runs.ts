import type { LedgerEntry, Movement } from "./account.ts";
import { decidingKeys, type LedgerState, planEntries } from "./movement.ts";

export const emptyAccount: LedgerState = {
  id: "acc_1",
  merchantId: "mer_1",
  currency: "USD",
  available: 0n,
  held: 0n,
  counts: { initiated: 0, succeeded: 0, failed: 0 },
  sequence: 0,
  headHash: "",
  updatedAt: new Date(0),
};

export const runAt = new Date("2026-11-21T10:00:00.000Z");

/** Applies movements one after the other. Each one gets only the entries that decide on it. */
export function runMovements(start: LedgerState, movements: readonly Movement[], at = runAt) {
  let state = start;
  const known = new Map<string, LedgerEntry>();
  const outcomes = movements.map((movement) => {
    const keys = new Set(decidingKeys(state.id, movement));
    const deciding = new Map([...known].filter(([key]) => keys.has(key)));
    const planned = planEntries(state, deciding, movement, at);
    if (planned.outcome === "applied") {
      state = planned.state;
      for (const entry of planned.entries) known.set(entry.key, entry);
    }
    return planned.outcome;
  });
  return { state, outcomes, entries: [...known.values()] };
}
