import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { publishCredits } from "./credited.ts";
import type { AccountDocument, LedgerCollections } from "./documents.ts";
import { recordCarried } from "./recorder.ts";
import { quietMs } from "./writer.ts";

/** Accounts that are tidied together. */
const batchMax = 64;

/** When an account is to be tidied: a clock that was wrong once may have dated it ahead. */
const quietAt = (now: Date) => ({
  before: new Date(now.getTime() - quietMs),
  latest: new Date(now.getTime() + quietMs),
});

/**
 * Accounts that no movement has changed for `quietMs`, and others that have a hold as old or a
 * credit to publish, some at a time. A sparse index has no accounts that are tidy.
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
      { "credited.0": { $exists: true } },
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

/**
 * Records what an account carries; takes that and the holds whose payouts exist out of it, in one
 * write, which a movement at the same time makes void; publishes its credits.
 */
export async function tidyAccount(
  collections: LedgerCollections,
  account: AccountDocument,
  { isCreated, now, bus }: Tidying,
): Promise<void> {
  await recordCarried(collections.entries, [account]);
  await takeOut(collections, account, { isCreated, now });
  if (bus?.ready() === true) await publishCredits(collections, account, bus);
}

async function takeOut(
  { accounts }: LedgerCollections,
  account: AccountDocument,
  { isCreated, now }: Pick<Tidying, "isCreated" | "now">,
): Promise<void> {
  const { _id, revision, sequence, updated_at, open_holds, credited = [] } = account;
  const { before, latest } = quietAt(now);
  const isQuiet = updated_at < before || updated_at > latest;
  const left = open_holds.filter(({ payout_id }) => !isCreated(payout_id));
  const isTidy = left.length === 0 && credited.length === 0;
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
