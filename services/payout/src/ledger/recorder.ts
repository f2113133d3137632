import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ChainHead } from "@disburse/chassis/audit/heads.ts";
import type { HeadSource } from "@disburse/chassis/audit/shipping.ts";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import {
  type AccountDocument,
  dirtyAccounts,
  type LedgerCollections,
  type LedgerDocument,
  ledgerDocument,
  toLedgerEntry,
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

/** Accounts are counted up to here: more are as alarming. */
const countedMax = 10_000;

const chainOf = (accountId: string) => `ledger/${accountId}`;

/**
 * The heads of the accounts whose money has moved: the recorder marks them, in a write that it
 * makes anyhow, and a sparse index has no others, so that the cost is that of what has changed.
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

/** Publishes an account's credits; a repeat has the same ids. */
async function publishCredits(
  { accounts, entries }: LedgerCollections,
  { _id, credited = [] }: AccountDocument,
  bus: Pick<Bus, "publish">,
): Promise<void> {
  if (credited.length === 0) return;
  const found = await entries.find({ _id: { $in: credited } }).toArray();
  await bus.publish(found.map(creditedMessage));
  await accounts.updateOne({ _id }, { $pull: { credited: { $in: credited } } });
}

/** The event of a credit, as its merchant's endpoints get it: one of its account's. */
function creditedMessage(document: LedgerDocument): BusMessage {
  const { key, accountId, merchantId, currency, sequence, note, createdAt, ...entry } =
    toLedgerEntry(document);
  const amount = (minor: bigint) => exactNumber(formatAmount(minor, currency));
  const status = "credited";
  const data = {
    id: accountId,
    status,
    merchant_id: merchantId,
    entry_id: key,
    currency_code: currency,
    amount: amount(entry.amount),
    available: amount(entry.available),
    held: amount(entry.held),
    note,
    created_at: isoTime(createdAt),
  };
  const id = eventId(accountId, sequence);
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionType: "account.credited",
    transactionId: accountId,
    status,
    sequence: BigInt(sequence),
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(createdAt),
  });
  return { id, key: "opt_in.account_credited", body: toBinary(OptInEventSchema, event) };
}
