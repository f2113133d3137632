import { randomBytes } from "node:crypto";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { type CopyTerms, compileCopy } from "@disburse/harness/copies.ts";
import type { RecordedEntry } from "@disburse/invariants/documents.ts";
import { addPlatformPostings, effectOf, hashOf } from "@disburse/invariants/entry-check.ts";
import { type Decimal, formatDecimal, normalise } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Db, Decimal128, Document } from "mongodb";
import type { KnownRecord } from "../load/answers.ts";
import type { Target } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import {
  createTemplatePayout,
  type TemplateDocuments,
  type TemplatePayout,
} from "./template-payout.ts";

export type LedgerLine = Omit<RecordedEntry, "amount" | "available" | "held"> & {
  readonly amount: Decimal128;
  readonly available: Decimal128;
  readonly held: Decimal128;
};

type LedgerChain = ReturnType<typeof startChain>;

const batchSize = 500;
/**
 * Maximum number of concurrent batches. The bench creates one batch while the engine stores
 * another.
 */
const batchesMax = 3;
/**
 * Time between two copies of the payout. A payout takes less time, so that each copy settles before
 * the next copy begins. The last copy precedes the original payout.
 */
const apartMs = 2_000;
/** Number of seeded payouts that are read later. */
const readableMax = 2_000;

/** Doesn't wait for the journal. The last write journals all earlier ones too. */
const unjournalled = { w: 1, j: false };
const journalled = { w: "majority", j: true } as const;

/**
 * Brings each merchant to `payouts` payouts. Creates one over HTTP for the first merchant, and
 * stores copies of its documents for all merchants. Rebuilds each account's ledger: funding, copies
 * and the payout. Balance, statement, chain and stored counts match that number of payouts. Returns
 * readable payouts of the first merchant.
 */
export async function seedPayouts(
  platform: BenchPlatform,
  targets: readonly [Target, ...Target[]],
  payouts: number,
): Promise<readonly KnownRecord[]> {
  const [first] = targets;
  const template = await createTemplatePayout(platform, first);
  const ledger = ledgerOf(template);
  const openedAt = new Date(template.createdAt.getTime() - payouts * apartMs);
  await predateScreening(platform, targets, openedAt);
  const { suffix, operations, deliveryIds } = template;
  const names = [suffix, ...operations, ...deliveryIds, ...namesOf(first)];
  const parts = template.parts.map(({ db, collection, documents }) => {
    const copiers = documents.map((each) => compileCopy(each, names));
    return { db, collection, copiers };
  });
  const running = new Set<Promise<unknown>>();
  const plan = planCopies(template, payouts - 1);
  for (const target of targets) {
    const chain = startChain();
    const own = await beginLedger(ledger, target, chain, openedAt);
    const planned = target === first ? plan : planCopies(template, payouts);
    for (let from = 0; from < planned.length; from += batchSize) {
      const terms = planned
        .slice(from, from + batchSize)
        .map((each) => termsOf(each, template, target));
      const stored = parts.map((part) => {
        const copies = terms.flatMap((each) => part.copiers.map((copy) => copy(each)));
        return insertAll(
          part,
          part.collection === ledger.collection ? linked(chain, copies) : copies,
        );
      });
      const tracked = Promise.all(stored).finally(() => running.delete(tracked));
      running.add(tracked);
      if (running.size >= batchesMax) await Promise.race(running);
    }
    await insertAll(ledger, linked(chain, own));
    await writeSums(platform, target, chain, planned.length, openedAt);
  }
  await Promise.all(running);
  const known = ({ suffix: own }: PlannedCopy) => ({ id: `po_${own}`, amount: template.amount });
  return plan.slice(-readableMax).map(known);
}

/** A copy's id suffix and its time relative to the original. */
type PlannedCopy = { readonly suffix: string; readonly shiftMs: number };

function planCopies({ createdAt }: TemplatePayout, copies: number): PlannedCopy[] {
  return Array.from({ length: copies }, (_each, at) => {
    const shiftMs = -(copies - at) * apartMs;
    const id = newId("quote", new Date(createdAt.getTime() + shiftMs));
    return { suffix: id.slice("qt_".length), shiftMs };
  });
}

function namesOf({ merchantId, accountId, beneficiaryId, endpointId }: Target): string[] {
  return [merchantId, accountId, beneficiaryId, ...(endpointId === undefined ? [] : [endpointId])];
}

/** Operation ids and keys are SHA-256 hashes in hexadecimal. */
const operationBytes = 32;

function termsOf(
  { suffix, shiftMs }: PlannedCopy,
  { operations, deliveryIds, createdAt }: TemplatePayout,
  target: Target,
): CopyTerms {
  const own = operations.map(() => randomBytes(operationBytes).toString("hex"));
  const at = new Date(createdAt.getTime() + shiftMs);
  const deliveries = deliveryIds.map(() => newId("delivery", at));
  return { names: [suffix, ...own, ...deliveries, ...namesOf(target)], shiftMs };
}

/** Uses one command: the driver's own `insertMany` reads every document twice to measure it. */
async function insertAll(
  { db, collection }: { readonly db: Db; readonly collection: string },
  documents: readonly Document[],
): Promise<void> {
  if (documents.length === 0) return;
  const options = { ordered: false, writeConcern: unjournalled };
  const { n } = await db.command({ insert: collection, documents, ...options });
  if (n !== documents.length) throw new Error(`${collection}: not all copies were inserted`);
}

function ledgerOf({ parts }: TemplatePayout): TemplateDocuments {
  const found = parts.find(({ collection }) => collection === "ledger_entries");
  if (found === undefined) throw new Error("the template payout has no ledger entries");
  const { documents } = found;
  Object.assign(found, { documents: documents.toSorted((a, b) => a.sequence - b.sequence) });
  return found;
}

function linked(chain: LedgerChain, documents: readonly Document[]): Document[] {
  return documents.map((document) => chain.add(document as unknown as LedgerLine));
}

/**
 * Restarts an account's ledger, with its funding before all payouts. Returns the entries of its own
 * payout, which follow the copies.
 */
async function beginLedger(
  { db, collection }: TemplateDocuments,
  { accountId }: Target,
  chain: LedgerChain,
  at: Date,
): Promise<Document[]> {
  const own = { account_id: accountId };
  const all = await db.collection(collection).find(own).sort({ sequence: 1 }).toArray();
  const credits = all.filter(({ step }) => step === "credit");
  await db.collection(collection).deleteMany(own);
  const earlier = credits.map((credit) => ({ ...credit, created_at: at }));
  await insertAll({ db, collection }, linked(chain, earlier));
  return all.slice(credits.length);
}

/** Moves the screening of the copies' payees before the copies. */
async function predateScreening(
  { db }: BenchPlatform,
  targets: readonly Target[],
  at: Date,
): Promise<void> {
  const own = { record_id: { $in: targets.map(({ beneficiaryId }) => beneficiaryId) } };
  const screenings = db("compliance").collection("screenings");
  await screenings.updateMany(own, { $set: { created_at: at } });
}

async function writeSums(
  { db }: BenchPlatform,
  { accountId }: Target,
  chain: LedgerChain,
  copies: number,
  openedAt: Date,
): Promise<void> {
  const account = chain.account();
  const sequence = account.sequence - 2 * copies;
  const own = { _id: accountId, sequence, recorded_sequence: sequence, recent: [], open_holds: [] };
  const accounts = db("payout").collection<{ _id: string }>("accounts");
  const changed = {
    $set: { ...account, created_at: openedAt },
    $inc: { "counts.succeeded": copies, revision: 1 },
  };
  const summed = await accounts.updateOne(own, changed, { writeConcern: journalled });
  if (summed.modifiedCount !== 1) {
    throw new Error("an account changed while the bench added its copied entries");
  }
}

export function startChain() {
  const sums = new Map<string, Decimal>();
  let [available, held, sequence, hash, at] = [0n, 0n, 0, "", new Date(0)];
  return {
    /** Appends the entry to the chain: sets its number, balances and hash. */
    add: (entry: LedgerLine): LedgerLine => {
      const effect = effectOf(entry);
      if (effect === undefined)
        throw new Error(`no ledger effect is defined for the step ${entry.step}`);
      available += effect.available;
      held += effect.held;
      sequence += 1;
      at = entry.created_at > at ? entry.created_at : at;
      addPlatformPostings(sums, entry.postings);
      const balances = { available: toDecimal128(available), held: toDecimal128(held) };
      const linked = { ...entry, ...balances, sequence, previous_hash: hash, created_at: at };
      hash = hashOf(linked, entry._id);
      return { ...linked, hash };
    },
    /** Returns the fields of the account document that describe the end of the chain. */
    account: () => ({
      available: toDecimal128(available),
      held: toDecimal128(held),
      sequence,
      recorded_sequence: sequence,
      head_hash: hash,
      platform: Object.fromEntries(
        [...sums].map(([name, sum]) => [name, formatDecimal(normalise(sum))]),
      ),
      updated_at: at,
    }),
  };
}
