import { callContext } from "@disburse/chassis/call-context.ts";
import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Filter, IndexDescription } from "mongodb";
import { type PayoutDocument, payoutDocument, type StoredStep, toPayout } from "./document.ts";
import { type Decision, decide, listExceptions, readResolvable } from "./exceptions.ts";
import { type HistoryEntry, historyOf } from "./journal.ts";
import { countPayouts, listPayouts, type PayoutFilter, type PayoutPage } from "./list.ts";
import { payoutOutbox } from "./outbox.ts";
import { listPublished, republished, type Span } from "./published.ts";
import type { ExceptionKind } from "./rules/exception.ts";
import type { Payout } from "./rules/payout.ts";
import type { Progress } from "./rules/progress.ts";
import {
  advance,
  freeLeases,
  type LeasedPayout,
  leaseDue,
  type Note,
  note,
  type Release,
  recallWork,
  release,
  type Step,
} from "./work.ts";

export type PayoutStore = Awaited<ReturnType<typeof openPayoutStore>>;

/** Fields that a list can be narrowed by; each has an index that also gives the order. */
const listedFields = [
  "status",
  "beneficiary_id",
  "reference_id",
  "quote_id",
  "source",
  "destination",
];

const listed = (field: string) =>
  ({ merchant_id: 1, [field]: 1, created_at: -1, _id: -1 }) as const;

/** What is asked for again and again has an index that a payout leaves when it is at its end. */
const indexes: readonly IndexDescription[] = [
  { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
  ...listedFields.map((field) => ({ key: listed(field), name: `list_${field}` })),
  { key: { work_due_at: 1 }, name: "work", sparse: true },
  { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
  { key: { "untallied.at": 1 }, name: "untallied", sparse: true },
  {
    key: { "doubt.since": 1, _id: 1 },
    name: "doubt",
    partialFilterExpression: { "doubt.since": { $exists: true } },
  },
  { key: { published_at: 1, _id: 1 }, name: "published", sparse: true },
];

/** Payouts: the lasting record of their holds, with the events that their last change owes. */
export async function openPayoutStore({ db }: Database, place: string, clock: Clock) {
  const payouts = db.collection<PayoutDocument>("payouts");
  await ensureIndexes(db, "payouts", indexes);
  const readOne = async (filter: Filter<PayoutDocument>): Promise<Payout | undefined> => {
    const found = await payouts.findOne(filter);
    return found === null ? undefined : toPayout(found);
  };
  return {
    collection: payouts,
    outbox: payoutOutbox(payouts, clock),
    read: (merchantId: string, id: string) => readOne({ _id: id, merchant_id: merchantId }),
    findPayout: (id: string) => readOne({ _id: id }),
    /** Which of these payouts there are. */
    existing: async (ids: readonly string[]): Promise<Set<string>> => {
      const found = payouts.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } });
      return new Set((await found.toArray()).map(({ _id }) => _id));
    },
    /** Stores a new payout with its first event; answers with the stored one when it was there. */
    insert: async (payout: Payout, actor: StoredActor): Promise<Payout> => {
      try {
        await payouts.insertOne(payoutDocument(payout, actor, callContext()?.requestId));
        return payout;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await readOne({ _id: payout.id });
        if (first === undefined) throw error;
        return first;
      }
    },
    leaseDue: (now: Date, leaseMs: number) => leaseDue(payouts, now, leaseMs, place),
    freeLeases: () => freeLeases(payouts, place),
    advance: (payout: Payout, progress: Progress, step: Step) =>
      advance(payouts, payout, progress, step),
    release: (leased: LeasedPayout, ending: Release) => release(payouts, leased, ending),
    recallWork: (now: Date, deferMaxMs: number) => recallWork(payouts, now, deferMaxMs),
    note: (payout: Payout, heard: Note) => note(payouts, payout, heard),
    resolvable: (id: string, resolutionId: string, now: Date) =>
      readResolvable(payouts, id, resolutionId, now),
    decide: (payout: Payout, resolutionId: string, decision: Decision) =>
      decide(payouts, payout, resolutionId, decision),
    listExceptions: (kind: ExceptionKind | undefined, page: PayoutPage) =>
      listExceptions(payouts, kind, page),
    /** The steps of a merchant's payout, oldest first. */
    steps: async (merchantId: string, id: string): Promise<readonly StoredStep[] | undefined> => {
      const found = await payouts.findOne(
        { _id: id, merchant_id: merchantId },
        { projection: { journal: 1 } },
      );
      return found?.journal;
    },
    /** A payout with everything that was done for it and heard of it, oldest first. */
    journal: async (
      id: string,
    ): Promise<{ payout: Payout; lines: readonly HistoryEntry[] } | undefined> => {
      const found = await payouts.findOne({ _id: id });
      return found === null ? undefined : { payout: toPayout(found), lines: historyOf(found) };
    },
    listPublished: (span: Span, page: PayoutPage) => listPublished(payouts, span, page),
    republished: (eventIds: readonly string[]) => republished(payouts, eventIds),
    list: (merchantId: string, filter: PayoutFilter, page: PayoutPage) =>
      listPayouts(payouts, merchantId, filter, page),
    count: (merchantId: string, filter: PayoutFilter) => countPayouts(payouts, merchantId, filter),
  };
}
