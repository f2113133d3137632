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

/** Inserts entries into the ledger; existing ones stay as they are. */
export async function recordEntries(
  entries: Entries,
  documents: readonly LedgerDocument[],
): Promise<void> {
  const inserted = await Promise.all(documents.map((each) => insertOnce(entries, each)));
  if (inserted.includes(false)) assertSame(documents, await hashesOf(entries, documents));
}

/** Inserts the entries that accounts carry into the ledger, except those that it has. */
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

/** Accounts of one read: each asks for a few keys of each of its movements. */
const readBatchMax = 64;
/** An account asks again when it was answered, so that few wait. */
const readLimits = {
  batchMax: readBatchMax,
  inFlightMax: 2,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Asked = { readonly accountId: string; readonly keys: ReadonlySet<string> };
type Asking = Gathered &
  Asked &
  Pick<PromiseWithResolvers<readonly LedgerDocument[]>, "resolve" | "reject">;

/**
 * Reads recorded entries of an account by their keys. Accounts that ask in the same turn of the
 * event loop share a command, which names them all: in a cluster it goes to their shards alone.
 */
export function createEntryReads({ entries }: Pick<LedgerCollections, "entries">) {
  const send = async (batch: readonly Asking[]) => {
    try {
      const found = await findAsked(entries, batch);
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

function findAsked(entries: Entries, batch: readonly Asked[]) {
  const keys = new Set(batch.flatMap((each) => [...each.keys]));
  const accounts = new Set(batch.map(({ accountId }) => accountId));
  const filter = { _id: { $in: [...keys] }, account_id: { $in: [...accounts] } };
  return entries.find(filter, { hint: "_id_" }).toArray();
}

/** Accounts are counted up to here: more are as alarming. */
const countedMax = 10_000;

const chainOf = (accountId: string) => `ledger/${accountId}`;

/**
 * The heads of the accounts whose money has moved: each movement marks its account, and a sparse
 * index has no others, so that the cost is that of what has changed.
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
