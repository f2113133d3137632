import { isOnlyDuplicateKeys } from "@disburse/chassis/mongo.ts";
import {
  type AccountCollections,
  type AccountDocument,
  type LedgerDocument,
  ledgerDocument,
  toLedgerEntry,
} from "./account-documents.ts";
import type { LedgerEntry } from "./domain/account.ts";
import { deadlineMs } from "./movements.ts";

/** Past this, no movement that could repeat a finished one can still be applied. */
const keptMs = 2 * deadlineMs;

/** In the ledger, and no hold whose fate is open: its key is all that is still needed. */
const isSettled = {
  $and: [
    { $lte: ["$$this.sequence", "$recorded_sequence"] },
    { $not: [{ $gt: ["$$this.open_since", null] }] },
  ],
};

/** No try that could repeat it can still be applied, by the database's clock. */
const isPast = { $lt: ["$$this.at", { $subtract: ["$$NOW", keptMs] }] };

const settled = { $filter: { input: "$recent", cond: isSettled } };
const keyOfSettled = {
  key: "$$each.key",
  at: { $max: ["$$each.at", "$$each.closed_at"] },
};

/** Settled movements shrink to their keys, keys that are past leave. */
function tidied(sequence: number) {
  const keys = { $map: { input: settled, as: "each", in: keyOfSettled } };
  const kept = { $filter: { input: "$applied", cond: { $not: [isPast] } } };
  const isEmpty = { $eq: [{ $add: [{ $size: "$recent" }, { $size: "$applied" }] }, 0] };
  return [
    { $set: { recorded_sequence: { $max: ["$recorded_sequence", sequence] } } },
    {
      $set: {
        applied: { $concatArrays: [kept, keys] },
        recent: { $filter: { input: "$recent", cond: { $not: [isSettled] } } },
      },
    },
    { $set: { dirty: { $cond: [isEmpty, "$$REMOVE", true] } } },
  ];
}

/** Writes an account's movements to its ledger, then drops those that no late try can repeat. */
async function record(
  { accounts, ledger }: AccountCollections,
  account: AccountDocument,
): Promise<void> {
  const fresh = account.recent.filter(({ sequence }) => sequence > account.recorded_sequence);
  if (fresh.length > 0) {
    const documents = fresh.map((movement) => ledgerDocument(account, movement));
    await ledger.insertMany(documents, { ordered: false }).catch(async (error: unknown) => {
      if (!isOnlyDuplicateKeys(error)) throw error;
      await assertSame(ledger, documents);
    });
  }
  await accounts.updateOne({ _id: account._id }, tidied(account.sequence));
}

/**
 * Entries that were there already are to be the same ones. A key with two sequences is money that
 * moved twice: it is said aloud, and stays in its account, until a person has looked at it.
 */
async function assertSame(
  ledger: AccountCollections["ledger"],
  documents: readonly LedgerDocument[],
): Promise<void> {
  const ids = documents.map(({ _id }) => _id);
  const sequences = new Map(documents.map(({ _id, sequence }) => [_id, sequence]));
  for await (const { _id, sequence } of ledger.find({ _id: { $in: ids } })) {
    if (sequences.get(_id) !== sequence) throw new Error(`movement ${_id} was applied twice`);
  }
}

/**
 * Records what accounts still hold; one that cannot be recorded does not keep the others waiting.
 */
export async function recordRecent(collections: AccountCollections): Promise<void> {
  const failures: unknown[] = [];
  for await (const account of collections.accounts.find({ dirty: true })) {
    await record(collections, account).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, "accounts not recorded");
}

/**
 * A page of a statement, newest first, complete up to this moment, and how many entries there are
 * by then: they are numbered from 1 without gap. `undefined`: no such account.
 */
export async function listEntries(
  collections: AccountCollections,
  { merchantId, accountId }: { readonly merchantId: string; readonly accountId: string },
  { beforeSequence, limit }: { readonly beforeSequence?: number; readonly limit: number },
): Promise<{ readonly entries: readonly LedgerEntry[]; readonly count: number } | undefined> {
  const { accounts, ledger } = collections;
  const account = await accounts.findOne({ _id: accountId, merchant_id: merchantId });
  if (account === null) return undefined;
  if (account.sequence > account.recorded_sequence) await record(collections, account);
  const count = account.sequence;
  const sequence = {
    $lte: count,
    ...(beforeSequence === undefined ? {} : { $lt: beforeSequence }),
  };
  const found = ledger.find({ account_id: accountId, merchant_id: merchantId, sequence });
  const entries = await found.sort({ sequence: -1 }).limit(limit).toArray();
  return { entries: entries.map(toLedgerEntry), count };
}
