import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { Outbox } from "@disburse/chassis/outbox-relay.ts";
import type { PageCursor } from "@disburse/chassis/page-cursor.ts";
import type { Filter } from "mongodb";
import type { Payout } from "./domain/payout.ts";
import { faceOf, type PayoutStatus, type Progress } from "./domain/progress.ts";
import { owedEvent, type PayoutDocument, payoutDocument, toPayout } from "./payout-documents.ts";

export type PayoutStore = Awaited<ReturnType<typeof openPayoutStore>>;

/** What a list is narrowed to; absent for any. */
export type PayoutFilter = {
  readonly status?: PayoutStatus;
  readonly beneficiaryId?: string;
  readonly referenceId?: string;
  readonly quoteId?: string;
  readonly source?: string;
  readonly destination?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
};

/** Counting stops here for filters whose count is not kept (decisions: payouts). */
export const countMax = 10_000;
/** The journal of one payout: submissions and answers; polls that change nothing are not written. */
const journalMax = 50;

/** A payout with the right to work on it until the lease ends. */
export type LeasedPayout = { readonly payout: Payout; readonly leaseToken: string };

/** Payouts: the lasting record of their holds, with the events that their last change owes. */
export async function openPayoutStore({ db }: Database) {
  const payouts = db.collection<PayoutDocument>("payouts");
  const listed = (key: string) => ({ merchant_id: 1, [key]: 1, created_at: -1, _id: -1 }) as const;
  await ensureIndexes(db, "payouts", [
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation" },
    ...["status", "beneficiary_id", "reference_id", "quote_id", "source", "destination"].map(
      (field) => ({ key: listed(field), name: `list_${field}` }),
    ),
    { key: { work_due_at: 1 }, name: "work", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
    { key: { "untallied.at": 1 }, name: "untallied", sparse: true },
  ]);

  /** The owed events of payouts; they leave their document when the bus has them. */
  const outbox: Outbox = {
    due: async (limit) => {
      const found = await payouts
        .find({ "outbox.at": { $gt: new Date(0) } }, { projection: { outbox: 1 } })
        .sort({ "outbox.at": 1 })
        .limit(limit)
        .toArray();
      return found
        .flatMap((payout) => payout.outbox)
        .map(({ id, key, body }) => ({ id, key, body: body.value() }));
    },
    published: async (messages) => {
      const ids = messages.map(({ id }) => id);
      const updates = messages.map(({ id }) => ({
        updateOne: {
          filter: { _id: payoutIdOfEvent(id) },
          update: { $pull: { outbox: { id: { $in: ids } } } },
        },
      }));
      await payouts.bulkWrite(updates, { ordered: false });
    },
  };

  return {
    outbox,
    collection: payouts,

    read: async (merchantId: string, id: string): Promise<Payout | undefined> => {
      const found = await payouts.findOne({ _id: id, merchant_id: merchantId });
      return found === null ? undefined : toPayout(found);
    },
    readAny: async (id: string): Promise<Payout | undefined> => {
      const found = await payouts.findOne({ _id: id });
      return found === null ? undefined : toPayout(found);
    },
    existing: async (ids: readonly string[]): Promise<Set<string>> => {
      const found = payouts.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } });
      return new Set((await found.toArray()).map(({ _id }) => _id));
    },
    findByOperation: async (merchantId: string, operationId: string) => {
      const found = await payouts.findOne({ merchant_id: merchantId, operation_id: operationId });
      return found === null ? undefined : toPayout(found);
    },

    /** Stores a new payout with its first event; answers with the stored one when it was there. */
    insert: async (payout: Payout, actor: StoredActor): Promise<Payout> => {
      try {
        await payouts.insertOne(payoutDocument(payout, actor));
        return payout;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await payouts.findOne({ _id: payout.id });
        if (first === null) throw error;
        return toPayout(first);
      }
    },

    /** Takes the payout whose work is due longest, for `leaseMs`. */
    leaseDue: async (now: Date, leaseMs: number): Promise<LeasedPayout | undefined> => {
      const leaseToken = crypto.randomUUID();
      const until = new Date(now.getTime() + leaseMs);
      const found = await payouts.findOneAndUpdate(
        { work_due_at: { $lte: now }, $nor: [{ "lease.until": { $gt: now } }] },
        { $set: { lease: { token: leaseToken, until } } },
        { sort: { work_due_at: 1 }, returnDocument: "after" },
      );
      return found === null ? undefined : { payout: toPayout(found), leaseToken };
    },

    /**
     * Moves a payout on in one write, guarded by the revision that was read: `undefined` when somebody was
     * faster. A change of status raises the version and owes its event in the same write.
     */
    advance: async (payout: Payout, next: Progress, step: Step): Promise<Payout | undefined> => {
      const from = faceOf(payout.progress).status;
      const to = faceOf(next).status;
      const changed: Payout = {
        ...payout,
        progress: next,
        version: from === to ? payout.version : payout.version + 1,
        revision: payout.revision + 1,
        updatedAt: step.at,
      };
      const event = from === to ? undefined : owedEvent(changed);
      const { cause, at, work } = step;
      const result = await payouts.updateOne(
        { _id: payout.id, revision: payout.revision },
        {
          $set: {
            progress: next,
            status: to,
            version: changed.version,
            revision: changed.revision,
            updated_at: at,
            ...(work instanceof Date ? { work_due_at: work } : {}),
          },
          ...(work instanceof Date ? { $unset: { lease: "" } } : {}),
          ...(work === "done" ? { $unset: { lease: "", work_due_at: "" } } : {}),
          $push: {
            journal: { $each: [{ stage: next.stage, at, cause }], $slice: -journalMax },
            ...(event === undefined
              ? {}
              : { outbox: event, untallied: { id: event.id, at, from, to } }),
          },
        },
      );
      return result.modifiedCount === 1 ? changed : undefined;
    },

    /** Ends a lease without a change of state; a lease that somebody else has by now stays. */
    release: async ({ payout, leaseToken }: LeasedPayout, then: Date | "done"): Promise<void> => {
      await payouts.updateOne(
        { _id: payout.id, "lease.token": leaseToken },
        then === "done"
          ? { $unset: { lease: "", work_due_at: "" } }
          : { $set: { work_due_at: then }, $unset: { lease: "" } },
      );
    },

    /** A page, newest first. */
    list: async (
      merchantId: string,
      filter: PayoutFilter,
      cursor: PageCursor | undefined,
      limit: number,
    ): Promise<Payout[]> => {
      const after = cursor && {
        $or: [
          { created_at: { $lt: cursor.at } },
          { created_at: cursor.at, _id: { $lt: cursor.id } },
        ],
      };
      const found = payouts
        .find({ ...documentFilter(merchantId, filter), ...after })
        .sort({ created_at: -1, _id: -1 })
        .limit(limit);
      return (await found.toArray()).map(toPayout);
    },

    /** How many there are, up to `countMax` and one. */
    count: async (merchantId: string, filter: PayoutFilter): Promise<number> =>
      payouts.countDocuments(documentFilter(merchantId, filter), { limit: countMax + 1 }),
  };
}

/** What a change of a payout's progress is written with. */
export type Step = {
  /** For the journal: `rail accepted`, `hold released`. */
  readonly cause: string;
  readonly at: Date;
  /** The lease goes on; or it ends, and work is due at a time, or never again. */
  readonly work: "go_on" | "done" | Date;
};

function documentFilter(merchantId: string, filter: PayoutFilter): Filter<PayoutDocument> {
  const { status, beneficiaryId, referenceId, quoteId, source, destination } = filter;
  const created = {
    ...(filter.createdFrom === undefined ? {} : { $gte: filter.createdFrom }),
    ...(filter.createdTo === undefined ? {} : { $lt: filter.createdTo }),
  };
  return {
    merchant_id: merchantId,
    ...(status === undefined ? {} : { status }),
    ...(beneficiaryId === undefined ? {} : { beneficiary_id: beneficiaryId }),
    ...(referenceId === undefined ? {} : { reference_id: referenceId }),
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
    ...(Object.keys(created).length === 0 ? {} : { created_at: created }),
  };
}

/** `evt_x_2` is an event of `po_x`. */
function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}
