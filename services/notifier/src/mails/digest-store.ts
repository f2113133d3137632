import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type MailableEvent, type MailCounts, mailKindOf, mailKinds } from "./rules/kind.ts";

/** The events of a merchant that its members' next e-mails report. */
export type DigestDocument = {
  _id: string;
  schema_version: number;
  counts: MailCounts;
  /** Ids of the last counted events, so that a duplicate is not counted again. */
  counted: string[];
  /** End of the collection, counted from the first event. Null if there are no events. */
  due_at: Date | null;
  /** Number of digests so far. */
  rounds: number;
  /** The digest that is being distributed to the members. */
  round: {
    number: number;
    counts: MailCounts;
    /** Attempts to distribute it. Merchants whose distribution fails don't delay others. */
    tries: number;
  } | null;
};

/** Duplicates arrive soon. 1,000 ids are at most 130 kB. */
const countedMax = 1_000;
/** Digests in one run of the loop, distributed at once. The next run takes the others. */
const batchMax = 20;

export type DigestStore = ReturnType<typeof openDigestStore>;

export function openDigestStore({ db }: Pick<Database, "db">, digestMs: number) {
  const digests = db.collection<DigestDocument>("mail_digests");
  return {
    collection: digests,

    /**
     * Counts events for the e-mails of their merchants. Ignores events that no e-mail reports, and
     * events that were counted before.
     */
    count: async (events: readonly MailableEvent[], now: Date): Promise<void> => {
      const counted = events.flatMap((event) => {
        const kind = mailKindOf(event, now);
        return kind === undefined ? [] : [{ kind, ...event }];
      });
      const dueAt = new Date(now.getTime() + digestMs);
      for (const [_id, ofMerchant] of Map.groupBy(counted, ({ merchantId }) => merchantId)) {
        const write = () => digests.updateOne({ _id }, counting(ofMerchant, dueAt), upsert);
        // Two concurrent writes may both insert the document. The second then updates it.
        if (!(await onceByKey(write))) await write();
      }
    },

    /** Begins the distribution of all digests that are due. */
    begin: async (now: Date): Promise<void> => {
      for (let begun = 0; begun < batchMax; begun += 1) {
        const due = { due_at: { $lte: now }, round: null };
        if ((await digests.findOneAndUpdate(due, beginning)) === null) return;
      }
    },

    /** Returns digests whose distribution has begun, those with the fewest attempts first. */
    begun: async () => {
      const found = await digests
        .find({ "round.tries": { $gte: 0 } }, withoutIds)
        .sort({ "round.tries": 1 })
        .limit(batchMax)
        .toArray();
      if (found.length === 0) return found;
      const ids = { _id: { $in: found.map(({ _id }) => _id) }, "round.tries": { $gte: 0 } };
      await digests.updateMany(ids, { $inc: { "round.tries": 1 } });
      return found;
    },

    finish: async (_id: string, number: number): Promise<void> => {
      await digests.updateOne({ _id, "round.number": number }, { $set: { round: null } });
    },
  };
}

const upsert = { upsert: true } as const;
const withoutIds = { projection: { counted: 0 } } as const;

type Counted = { readonly kind: (typeof mailKinds)[number]; readonly eventId: string };

const orEmpty = { $ifNull: ["$counted", []] };
const sizes = mailKinds.map((kind) => ({ $size: `$fresh.${kind}` }));
const byKind = (value: (kind: (typeof mailKinds)[number]) => unknown) =>
  Object.fromEntries(mailKinds.map((kind) => [kind, value(kind)]));

/** Adds the events that are not counted yet. One atomic write, so a repeat changes nothing. */
function counting(events: readonly Counted[], dueAt: Date) {
  const idsOf = (kind: string) =>
    events.flatMap((event) => (event.kind === kind ? [event.eventId] : []));
  return [
    {
      $set: { fresh: byKind((kind) => ({ $setDifference: [{ $literal: idsOf(kind) }, orEmpty] })) },
    },
    {
      $set: {
        schema_version: 1,
        counts: byKind((kind) => ({
          $add: [{ $ifNull: [`$counts.${kind}`, 0] }, { $size: `$fresh.${kind}` }],
        })),
        counted: {
          $slice: [
            { $concatArrays: [orEmpty, ...mailKinds.map((kind) => `$fresh.${kind}`)] },
            -countedMax,
          ],
        },
        due_at: {
          $ifNull: ["$due_at", { $cond: [{ $gt: [{ $add: sizes }, 0] }, dueAt, null] }],
        },
        rounds: { $ifNull: ["$rounds", 0] },
        round: { $ifNull: ["$round", null] },
      },
    },
    { $unset: "fresh" },
  ];
}

/** Moves the counts to the next round. Later events belong to the next digest. */
const beginning = [
  {
    $set: {
      round: { number: { $add: ["$rounds", 1] }, counts: "$counts", tries: 0 },
      rounds: { $add: ["$rounds", 1] },
      due_at: null,
    },
  },
  { $set: { counts: byKind(() => 0) } },
];
