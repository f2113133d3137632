import { isOnlyDuplicateKeys } from "@disburse/chassis/mongo/database.ts";
import {
  type AccountCollections,
  type AccountDocument,
  type LedgerDocument,
  ledgerDocument,
} from "./documents.ts";

/** Writes what an account carries to the ledger, then drops it there. */
export async function recordAccount(
  { accounts, ledger }: AccountCollections,
  account: AccountDocument,
): Promise<void> {
  const { _id, recent, sequence, open_holds } = account;
  if (recent.length > 0) {
    const documents = recent.map((entry) => ledgerDocument(account, entry));
    await ledger.insertMany(documents, { ordered: false }).catch(async (error: unknown) => {
      if (!isOnlyDuplicateKeys(error)) throw error;
      await assertSame(ledger, documents);
    });
    await accounts.updateOne(
      { _id },
      {
        $max: { recorded_sequence: sequence },
        $pull: { recent: { sequence: { $lte: sequence } } },
      },
    );
  } else if (open_holds.length === 0) {
    await accounts.updateOne(
      { _id, sequence, recent: { $size: 0 }, open_holds: { $size: 0 } },
      { $unset: { dirty: "" } },
    );
  }
}

/**
 * Entries that were there already are to be the same ones. A key with two entries is money that
 * moved twice: it is said aloud, and stays in its account, until a person has looked at it.
 */
async function assertSame(
  ledger: AccountCollections["ledger"],
  documents: readonly LedgerDocument[],
): Promise<void> {
  const ids = documents.map(({ _id }) => _id);
  const hashes = new Map(documents.map(({ _id, hash }) => [_id, hash]));
  for await (const { _id, hash } of ledger.find({ _id: { $in: ids } })) {
    if (hashes.get(_id) !== hash) throw new Error(`movement ${_id} was applied twice`);
  }
}

/**
 * Records what accounts still carry; one that cannot be recorded does not keep the others waiting.
 */
export async function recordRecent(collections: AccountCollections): Promise<void> {
  const failures: unknown[] = [];
  for await (const account of collections.accounts.find({ dirty: true })) {
    await recordAccount(collections, account).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, "accounts not recorded");
}
