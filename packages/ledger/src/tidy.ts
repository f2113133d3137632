import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  toLedgerEntry,
} from "./documents.ts";
import { lowMessage } from "./low-balance.ts";
import { recordCarried } from "./recorder.ts";
import { quietMs } from "./writer.ts";

/** Limits the accounts of one batch. */
const batchMax = 64;

/**
 * An account is quiet if its last movement is outside these times. The upper bound matters if a
 * wrong clock has dated a movement in the future.
 */
const quietAt = (now: Date) => ({
  before: new Date(now.getTime() - quietMs),
  latest: new Date(now.getTime() + quietMs),
});

/**
 * Returns, in batches, the accounts that need tidying. These have had no movement for `quietMs`, or
 * have an open hold of that age or an unpublished event. The sparse index contains no tidy
 * accounts.
 */
export async function* untidyAccounts(
  { accounts }: Pick<LedgerCollections, "accounts">,
  now: Date,
): AsyncGenerator<AccountDocument[]> {
  const { before, latest } = quietAt(now);
  const found = accounts.find({
    dirty: true,
    $or: [
      { updated_at: { $not: { $gte: before, $lte: latest } } },
      { "open_holds.since": { $lt: before } },
      { credited: { $exists: true } },
      { "low_events.0": { $exists: true } },
    ],
  });
  let batch: AccountDocument[] = [];
  for await (const account of found) {
    batch.push(account);
    if (batch.length < batchMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Counts the holds of untidy accounts that were created before a time. */
export async function countOpenHolds(
  { accounts }: Pick<LedgerCollections, "accounts">,
  before: Date,
): Promise<number> {
  const steps = [
    { $match: { dirty: true } },
    { $unwind: "$open_holds" },
    { $match: { "open_holds.since": { $lt: before } } },
    { $count: "count" },
  ];
  const [found] = await accounts.aggregate<{ readonly count: number }>(steps).toArray();
  return found?.count ?? 0;
}

/**
 * Records the account's entries in the ledger. One write then removes these entries, and the holds
 * of created payouts, from the account. If a movement changes the account at the same time, that
 * write has no effect. Finally publishes the account's events.
 */
export async function tidyAccount(
  collections: LedgerCollections,
  account: AccountDocument,
  { isCreated, now, bus }: Tidying,
): Promise<void> {
  await recordCarried(collections.entries, [account]);
  await takeOut(collections, account, { isCreated, now });
  if (bus?.ready() !== true) return;
  await publishCredits(collections, account, bus);
  await publishFalls(collections, account, bus);
}

async function takeOut(
  { accounts }: LedgerCollections,
  account: AccountDocument,
  { isCreated, now }: Pick<Tidying, "isCreated" | "now">,
): Promise<void> {
  const { _id, revision, sequence, updated_at, open_holds } = account;
  const { credited, low_events = [] } = account;
  const { before, latest } = quietAt(now);
  const isQuiet = updated_at < before || updated_at > latest;
  const left = open_holds.filter(({ payout_id }) => !isCreated(payout_id));
  const isTidy = left.length === 0 && credited === undefined && low_events.length === 0;
  const isChange = account.recent.length > 0 || left.length < open_holds.length || isTidy;
  if (!isChange || (!isQuiet && left.length === open_holds.length)) return;
  await accounts.updateOne(
    { _id, revision },
    {
      $set: { recent: [], open_holds: left, recorded_sequence: sequence },
      $inc: { revision: 1 },
      ...(isTidy && { $unset: { dirty: "" } }),
    },
  );
}

type Tidying = {
  readonly isCreated: (payoutId: string) => boolean;
  readonly now: Date;
  readonly bus?: Bus | undefined;
};

/** Maximum credits that one sweep of an account publishes. Later sweeps publish the others. */
export const publishedMax = 500;

/**
 * Publishes the credits of an account, the oldest first. A repeat publishes the same event ids. All
 * entries that the account has had are in the ledger.
 */
async function publishCredits(
  { accounts, entries }: LedgerCollections,
  { _id, credited }: AccountDocument,
  bus: Pick<Bus, "publish">,
): Promise<void> {
  if (credited === undefined) return;
  const { from, to } = credited;
  const found = await entries
    .find(
      { account_id: _id, step: "credit", sequence: { $gte: from, $lte: to } },
      { hint: "statement_step" },
    )
    .sort({ sequence: 1 })
    .limit(publishedMax)
    .toArray();
  await bus.publish(found.map(creditedMessage));
  const last = found.length < publishedMax ? to : (found.at(-1)?.sequence ?? to);
  // Another process may have published them too, and the account may have got another credit.
  const own = { _id, "credited.from": from };
  const ended = await accounts.updateOne(
    { ...own, "credited.to": { $lte: last } },
    { $unset: { credited: "" }, $inc: { revision: 1 } },
  );
  if (ended.matchedCount === 1) return;
  await accounts.updateOne(
    { ...own, "credited.to": { $gt: last } },
    { $set: { "credited.from": last + 1 }, $inc: { revision: 1 } },
  );
}

/** Publishes the falls below the merchant's threshold. A repeat publishes the same event ids. */
async function publishFalls(
  { accounts }: LedgerCollections,
  account: AccountDocument,
  bus: Pick<Bus, "publish">,
): Promise<void> {
  const { _id, low_events = [] } = account;
  if (low_events.length === 0) return;
  await bus.publish(low_events.map((event) => lowMessage(account, event)));
  const ids = low_events.map(({ id }) => id);
  const published = { $pull: { low_events: { id: { $in: ids } } }, $inc: { revision: 1 } };
  await accounts.updateOne({ _id }, published);
}

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
