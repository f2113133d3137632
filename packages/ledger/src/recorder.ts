import type { ChainHead } from "@disburse/chassis/audit/heads.ts";
import type { HeadSource } from "@disburse/chassis/audit/shipping.ts";
import { createGatherer, type Gathered } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  ledgerDocument,
} from "./documents.ts";

type Entries = LedgerCollections["entries"];

/** Inserts entries into the ledger. Existing entries stay unchanged. */
export async function recordEntries(
  entries: Entries,
  documents: readonly LedgerDocument[],
): Promise<void> {
  const inserted = await Promise.all(documents.map((each) => insertOnce(entries, each)));
  if (inserted.includes(false)) assertSame(documents, await hashesOf(entries, documents));
}

/** Inserts the entries that are in account documents but not in the ledger. */
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

/** Returns the hashes of those entries that the ledger already has, by id. */
async function hashesOf(entries: Entries, documents: readonly LedgerDocument[]) {
  const ids = documents.map(({ _id }) => _id);
  const accounts = [...new Set(documents.map(({ account_id }) => account_id))];
  const own = { _id: { $in: ids }, account_id: { $in: accounts } };
  const found = entries.find(own, { hint: "_id_", projection: { hash: 1 } });
  return new Map((await found.toArray()).map(({ _id, hash }) => [_id, hash]));
}

/**
 * Compares entries with those already in the ledger. Two different entries under one key mean that
 * money moved twice. This then throws, and the entry stays in its account until an operator
 * corrects it.
 */
function assertSame(
  documents: readonly LedgerDocument[],
  hashes: ReadonlyMap<string, string>,
): void {
  for (const { _id, hash } of documents) {
    if ((hashes.get(_id) ?? hash) !== hash) throw new Error(`movement ${_id} was applied twice`);
  }
}

/** The number of accounts in one read. Each account reads a few keys per movement. */
const readBatchMax = 64;
/**
 * The queue needs no limit: an account sends its next read only after a response, so few reads
 * wait.
 */
const readLimits = {
  batchMax: readBatchMax,
  inFlightMax: 2,
  furtherMax: 8,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type EntryKeys = { readonly accountId: string; readonly keys: ReadonlySet<string> };
type PendingRead = Gathered &
  EntryKeys &
  Pick<PromiseWithResolvers<readonly LedgerDocument[]>, "resolve" | "reject">;

/**
 * Reads an account's recorded entries by key. Reads from the same event-loop turn share one
 * command. The command names the accounts, so a sharded cluster sends it only to their shards.
 */
export function createEntryReads({ entries }: Pick<LedgerCollections, "entries">) {
  const send = async (batch: readonly PendingRead[]) => {
    try {
      const found = await findEntries(entries, batch);
      const byAccount = Map.groupBy(found, (each) => each.account_id);
      for (const { accountId, keys, resolve } of batch) {
        const own = byAccount.get(accountId) ?? [];
        resolve(own.filter(({ _id }) => keys.has(_id)));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const gatherer = createGatherer(send, readLimits);
  return (accountId: string, keys: ReadonlySet<string>): Promise<readonly LedgerDocument[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly LedgerDocument[]>();
    gatherer.add({ key: undefined, bytes: 0, accountId, keys, resolve, reject });
    return promise;
  };
}

function findEntries(entries: Entries, batch: readonly EntryKeys[]) {
  const keys = new Set(batch.flatMap((each) => [...each.keys]));
  const accounts = new Set(batch.map(({ accountId }) => accountId));
  const filter = { _id: { $in: [...keys] }, account_id: { $in: [...accounts] } };
  return entries.find(filter, { hint: "_id_" }).toArray();
}

/** The maximum count. Operators react the same way to any higher count. */
const countedMax = 10_000;

const chainOf = (accountId: string) => `ledger/${accountId}`;

/**
 * Returns the chain heads of accounts that have changed. Each movement marks its account in a
 * sparse index, so the cost depends only on the changed accounts.
 */
export function ledgerHeads({ accounts }: Pick<LedgerCollections, "accounts">): HeadSource {
  const due = { head_due: true } as const;
  return {
    name: "ledger",
    changed: async (limit) => {
      const fields = { projection: { sequence: 1, head_hash: 1 } };
      const found = await accounts.find(due, fields).limit(limit).toArray();
      return found.map(({ _id, sequence, head_hash: hash }): ChainHead => {
        return { chain: chainOf(_id), sequence, hash };
      });
    },
    shipped: async (heads) => {
      const writes = heads.map(({ chain, sequence }) =>
        accounts.updateOne(
          { _id: chain.slice(chainOf("").length), sequence },
          { $unset: { head_due: "" } },
        ),
      );
      await Promise.all(writes);
    },
    unshipped: () => accounts.countDocuments(due, { limit: countedMax }),
  };
}
