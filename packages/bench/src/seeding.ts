import { randomBytes } from "node:crypto";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo.ts";
import { writeCursor } from "@disburse/chassis/page-cursor.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Db, Document } from "mongodb";
import type { Known } from "./answers.ts";
import { type AccountState, type Copier, compileCopy, payoutMovements } from "./payout-copies.ts";
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
const unjournalled = { w: 1, j: false };
const journalled = { w: "majority", j: true } as const;

/** What was seeded: some payouts that can be read, and a place deep down the list. */
export type Seeded = { readonly readable: readonly Known[]; readonly deepCursor: string };

/** A page this far from the newest end, as a share of all payouts. */
const deepShare = 0.7;

/**
 * Brings a platform to `payouts` payouts: makes one over HTTP, and stores copies of every document
 * that the services keep of it. Balance, statement and kept counts are those of so many payouts.
 */
export async function seedPayouts(stack: Stack, payouts: number): Promise<Seeded> {
  const family = await makePayoutFamily(stack);
  const account = await openAccount(stack);
  const amount = BigInt(family.amount.replace(".", ""));
  const plan = planCopies(family, payouts - 1);
  const originals = compileFamily(family);
  const running = new Set<Promise<void>>();
  for (let from = 0; from < plan.length; from += batchSize) {
    const before = {
      ...account,
      available: account.available - BigInt(from) * amount,
      sequence: account.sequence + 2 * from,
    };
    const planned = plan.slice(from, from + batchSize);
    const operations = family.operations.length;
    const stored = storeBatch(originals, { planned, before, amount, operations });
    const tracked = stored.finally(() => running.delete(tracked));
    running.add(tracked);
    if (running.size >= batchesMax) await Promise.race(running);
  }
  await Promise.all(running);
  await raiseSums(stack, account, plan.length, amount);
  const known = ({ suffix }: PlannedCopy) => ({ id: `po_${suffix}`, amount: family.amount });
  const deep = plan[Math.floor(plan.length * (1 - deepShare))];
  const at = new Date(family.createdAt.getTime() + (deep?.shiftMs ?? 0));
  return {
    readable: plan.slice(-readableMax).map(known),
    deepCursor: writeCursor({ at, id: `po_${deep?.suffix}` }),
  };
}

/** A copy that is to be made: what its ids end in, and how long before the original it is. */
type PlannedCopy = { readonly suffix: string; readonly shiftMs: number };

function planCopies({ createdAt }: PayoutFamily, copies: number): PlannedCopy[] {
  return Array.from({ length: copies }, (_each, at) => {
    const shiftMs = -(copies - at) * apartMs;
    const id = newId("quote", new Date(createdAt.getTime() + shiftMs));
    return { suffix: id.slice("qt_".length), shiftMs };
  });
}

/** The documents of one collection, ready to be copied. */
type Originals = {
  readonly db: Db;
  readonly collection: string;
  readonly copiers: readonly Copier[];
};

function compileFamily({ suffix, operations, parts }: PayoutFamily): Originals[] {
  const names = [suffix, ...operations];
  return parts.map(({ db, collection, documents }) => {
    return { db, collection, copiers: documents.map((document) => compileCopy(document, names)) };
  });
}

type Batch = {
  readonly planned: readonly PlannedCopy[];
  /** The account before the first of them. */
  readonly before: AccountState;
  readonly amount: bigint;
  /** How many operations and keys a payout has. */
  readonly operations: number;
};

/** Operations and keys are named by a SHA-256 in hexadecimal. */
const operationBytes = 32;
const newOperation = () => randomBytes(operationBytes).toString("hex");

async function storeBatch(originals: readonly Originals[], batch: Batch): Promise<void> {
  const made = originals.map((): Document[] => []);
  let account = batch.before;
  for (const { suffix, shiftMs } of batch.planned) {
    const operations = Array.from({ length: batch.operations }, newOperation);
    const terms = { names: [suffix, ...operations], shiftMs };
    const moved = payoutMovements(account, batch.amount);
    for (const [at, { copiers }] of originals.entries()) {
      for (const copier of copiers) made[at]?.push(withState(copier(terms), moved));
    }
    account = moved.post;
  }
  await Promise.all(originals.map((original, at) => insertAll(original, made[at] ?? [])));
}

/** As one command: the driver's own `insertMany` reads every document twice to measure it. */
async function insertAll(
  { db, collection }: Originals,
  documents: readonly Document[],
): Promise<void> {
  const options = { ordered: false, writeConcern: unjournalled };
  const { n } = await db.command({ insert: collection, documents, ...options });
  if (n !== documents.length) throw new Error(`${collection}: not all copies were stored`);
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
