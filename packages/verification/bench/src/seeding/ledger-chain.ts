import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { RecordedEntry } from "@disburse/invariants/documents.ts";
import { addHouse, effectOf, hashOf } from "@disburse/invariants/entry-check.ts";
import { type Decimal, formatDecimal, normalise } from "@disburse/kernel/decimal.ts";
import type { Decimal128 } from "mongodb";

/** An entry of a ledger as it is stored. */
export type LedgerLine = Omit<RecordedEntry, "amount" | "available" | "held"> & {
  readonly amount: Decimal128;
  readonly available: Decimal128;
  readonly held: Decimal128;
};

/** An account's chain of entries while it is written anew. */
export type LedgerChain = ReturnType<typeof startChain>;

/** Begins an account's chain. */
export function startChain() {
  const sums = new Map<string, Decimal>();
  let [available, held, sequence, hash, at] = [0n, 0n, 0, "", new Date(0)];
  return {
    /** The entry as the chain's next one: numbered, with the balances after it, hashed, in time. */
    add: (entry: LedgerLine): LedgerLine => {
      const effect = effectOf(entry);
      if (effect === undefined) throw new Error(`a ledger has no step ${entry.step}`);
      available += effect.available;
      held += effect.held;
      sequence += 1;
      at = entry.created_at > at ? entry.created_at : at;
      addHouse(sums, entry.postings);
      const balances = { available: toDecimal128(available), held: toDecimal128(held) };
      const linked = { ...entry, ...balances, sequence, previous_hash: hash, created_at: at };
      hash = hashOf(linked, entry._id);
      return { ...linked, hash };
    },
    /** What the account's own document says when it ends here. */
    account: () => ({
      available: toDecimal128(available),
      held: toDecimal128(held),
      sequence,
      recorded_sequence: sequence,
      head_hash: hash,
      house: Object.fromEntries(
        [...sums].map(([name, sum]) => [name, formatDecimal(normalise(sum))]),
      ),
      updated_at: at,
    }),
  };
}
