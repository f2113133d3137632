import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  ledgerDocument,
} from "./documents.ts";

type Entries = LedgerCollections["entries"];

/** Writes entries to the ledger. Those that it has stay as they are. */
export async function recordEntries(
  entries: Entries,
  documents: readonly LedgerDocument[],
): Promise<void> {
  const inserted = await Promise.all(documents.map((each) => insertOnce(entries, each)));
  if (inserted.includes(false)) assertSame(documents, await hashesOf(entries, documents));
}

/** Writes the entries that accounts carry to the ledger, where it does not have them. */
export async function recordCarried(
  entries: Entries,
  accounts: readonly AccountDocument[],
): Promise<void> {
  const documents = accounts.flatMap((account) =>
    account.recent.map((entry) => ledgerDocument(account, entry)),
  );
  if (documents.length === 0) return;
  const hashes = await hashesOf(entries, documents);
  assertSame(documents, hashes);
  await recordEntries(
    entries,
    documents.filter(({ _id }) => !hashes.has(_id)),
  );
}

/** By their ids, the hashes of those entries that the ledger has. */
async function hashesOf(entries: Entries, documents: readonly LedgerDocument[]) {
  const ids = documents.map(({ _id }) => _id);
  const accounts = [...new Set(documents.map(({ account_id }) => account_id))];
  const own = { _id: { $in: ids }, account_id: { $in: accounts } };
  const found = entries.find(own, { hint: "_id_", projection: { hash: 1 } });
  return new Map((await found.toArray()).map(({ _id, hash }) => [_id, hash]));
}

/**
 * Entries that were recorded before have to be equal. Two entries under one key are money that
 * moved twice: this fails, and keeps the entry in its account, until an operator has corrected it.
 */
function assertSame(
  documents: readonly LedgerDocument[],
  hashes: ReadonlyMap<string, string>,
): void {
  for (const { _id, hash } of documents) {
    if ((hashes.get(_id) ?? hash) !== hash) throw new Error(`movement ${_id} was applied twice`);
  }
}
