import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { publishCredits } from "./credited.ts";
import {
  type AccountDocument,
  dirtyAccounts,
  type LedgerCollections,
  type LedgerDocument,
  ledgerDocument,
} from "./documents.ts";

/** Writes the entries that an account carries to the ledger, then removes them there. */
export async function recordAccount(
  { accounts, entries }: LedgerCollections,
  account: AccountDocument,
): Promise<void> {
  const { _id, recent, sequence, open_holds, credited = [] } = account;
  if (recent.length > 0) {
    const documents = recent.map((entry) => ledgerDocument(account, entry));
    const inserted = await Promise.all(documents.map((each) => insertOnce(entries, each)));
    if (inserted.includes(false)) await assertSame(entries, documents);
    await accounts.updateOne(
      { _id },
      {
        $set: { head_due: true },
        $max: { recorded_sequence: sequence },
        $pull: { recent: { sequence: { $lte: sequence } } },
        ...creditsOf(account),
      },
    );
  } else if (open_holds.length === 0 && credited.length === 0) {
    await accounts.updateOne(
      { _id, recent: { $size: 0 }, open_holds: { $size: 0 }, "credited.0": { $exists: false } },
      { $unset: { dirty: "" } },
    );
  }
}

/** Has a merchant's credits published: in the write that takes them out of the account. */
function creditsOf({ recent }: AccountDocument) {
  const keys = recent.filter(({ step }) => step === "credit").map(({ key }) => key);
  return keys.length === 0 ? {} : { $addToSet: { credited: { $each: keys } } };
}

/**
 * Entries that were recorded before have to be equal. Two entries under one key are money that
 * moved twice: this fails, and keeps the entry in its account, until an operator has corrected it.
 */
async function assertSame(
  entries: LedgerCollections["entries"],
  documents: readonly LedgerDocument[],
): Promise<void> {
  const ids = documents.map(({ _id }) => _id);
  const hashes = new Map(documents.map(({ _id, hash }) => [_id, hash]));
  for await (const { _id, hash } of entries.find({ _id: { $in: ids } })) {
    if (hashes.get(_id) !== hash) throw new Error(`movement ${_id} was applied twice`);
  }
}

/**
 * Records what accounts carry, and publishes credits that are recorded. An account that cannot be
 * recorded does not stop the others.
 */
export async function recordRecent(collections: LedgerCollections, bus?: Bus): Promise<void> {
  const failures: unknown[] = [];
  const failed = (error: unknown) => failures.push(error);
  for await (const account of dirtyAccounts(collections)) {
    await recordAccount(collections, account).catch(failed);
    if (bus?.ready()) await publishCredits(collections, account, bus).catch(failed);
  }
  if (failures.length > 0) throw new AggregateError(failures, "accounts not recorded");
}
