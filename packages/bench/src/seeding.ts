import { randomBytes } from "node:crypto";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Collection, Document, WriteConcernSettings } from "mongodb";
import type { Known } from "./answers.ts";
import { type AccountState, copyOf, payoutMovements } from "./payout-copies.ts";
import { makePayoutFamily, type PayoutFamily } from "./payout-family.ts";
import type { Stack } from "./stack.ts";

/** Payouts whose documents are inserted together. */
const batchSize = 500;
/** Batches that are under way at once: one is made while the engine stores another. */
const batchesMax = 3;
/** Copies are this far apart in time, the last of them before the payout they are copies of. */
const apartMs = 1_000;
/** Of the seeded payouts, as many are read later. */
const readableMax = 2_000;

/** Written at once, and journalled together with the last write. */
const unjournalled: WriteConcernSettings = { w: 1, j: false };
const journalled: WriteConcernSettings = { w: "majority", j: true };

/** What was seeded: how many payouts, and some that can be read. */
export type Seeded = { readonly payouts: number; readonly readable: readonly Known[] };

/**
 * Brings a platform to `payouts` payouts: makes one over HTTP, and stores copies of every document
 * that the services keep of it. Balance, statement and kept counts are those of so many payouts.
 */
export async function seedPayouts(stack: Stack, payouts: number): Promise<Seeded> {
  const family = await makePayoutFamily(stack);
  const account = await openAccount(stack);
  const copies = payouts - 1;
  const amount = BigInt(family.amount.replace(".", ""));
  const ids = Array.from({ length: copies }, (_each, at) => {
    return newId("quote", new Date(family.createdAt.getTime() - (copies - at) * apartMs)).slice(3);
  });
  const running = new Set<Promise<void>>();
  for (let from = 0; from < copies; from += batchSize) {
    const batch = ids.slice(from, from + batchSize);
    const start = {
      ...account,
      available: account.available - BigInt(from) * amount,
      sequence: account.sequence + 2 * from,
    };
    const stepsLeft = copies - from;
    const stored = storeBatch(family, { ids: batch, before: start, amount, stepsLeft });
    const tracked = stored.finally(() => running.delete(tracked));
    running.add(tracked);
    if (running.size >= batchesMax) await Promise.race(running);
  }
  await Promise.all(running);
  await raiseSums(stack, account, copies, amount);
  const readable = ids.slice(-readableMax).map((id) => ({ id: `po_${id}`, amount: family.amount }));
  return { payouts, readable };
}

type Batch = {
  readonly ids: readonly string[];
  /** The account before the first of them. */
  readonly before: AccountState;
  readonly amount: bigint;
  /** How many copies there are from the first of these to the last of all. */
  readonly stepsLeft: number;
};

async function storeBatch(family: PayoutFamily, batch: Batch): Promise<void> {
  const { ids, before, amount, stepsLeft } = batch;
  const made = new Map<Collection<{ _id: string }>, Document[]>();
  let account = before;
  for (const [at, id] of ids.entries()) {
    const names = new Map([[family.suffix, id]]);
    for (const operation of family.operations) {
      names.set(operation, randomBytes(operation.length / 2).toString("hex"));
    }
    const terms = { names, shiftMs: -(stepsLeft - at) * apartMs };
    const moved = payoutMovements(account, amount);
    for (const { collection, documents } of family.parts) {
      const copies = documents.map((document) => withState(copyOf(document, terms), moved));
      const list = made.get(collection) ?? [];
      list.push(...copies);
      made.set(collection, list);
    }
    account = moved.post;
  }
  const inserts = [...made].map(([collection, documents]) =>
    collection.insertMany(documents as { _id: string }[], {
      ordered: false,
      writeConcern: unjournalled,
    }),
  );
  await Promise.all(inserts);
}

/** A line of the statement tells of the account after it; any other document stays as it is. */
function withState(copy: Document, moved: { hold: AccountState; post: AccountState }): Document {
  if (copy.step !== "hold" && copy.step !== "post") return copy;
  const { available, held, sequence } = moved[copy.step as "hold" | "post"];
  copy.available = toDecimal128(available);
  copy.held = toDecimal128(held);
  copy.sequence = sequence;
  return copy;
}

async function openAccount({ db, target }: Stack): Promise<AccountState> {
  const accounts = db("payout").collection<{ _id: string }>("accounts");
  const account = (await accounts.findOne({ _id: target.accountId })) as Document | null;
  if (account === null) throw new Error("the account is not stored");
  return {
    available: fromDecimal128(account.available),
    held: fromDecimal128(account.held),
    sequence: account.sequence,
  };
}

/** What the services add up over payouts: the account, and the merchant's kept counts. */
async function raiseSums(
  { db, target, merchantId }: Stack,
  before: AccountState,
  copies: number,
  amount: bigint,
): Promise<void> {
  const { sequence } = before;
  const raised = await db("payout")
    .collection<{ _id: string }>("accounts")
    .updateOne(
      { _id: target.accountId, sequence, recorded_sequence: sequence, recent: [] },
      {
        $set: { available: toDecimal128(before.available - BigInt(copies) * amount) },
        $inc: { sequence: 2 * copies, recorded_sequence: 2 * copies },
      },
      { writeConcern: journalled },
    );
  const counted = await db("payout")
    .collection<{ _id: string }>("payout_counts")
    .updateOne(
      { _id: merchantId },
      { $inc: { succeeded: copies, revision: 1 } },
      { writeConcern: journalled },
    );
  if (raised.modifiedCount + counted.modifiedCount !== 2) {
    throw new Error("the account was not at rest while it was seeded");
  }
}
