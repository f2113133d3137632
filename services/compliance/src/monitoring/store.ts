import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import { type Verdict, verdicts } from "@disburse/name-matcher/verdict.ts";
import type { Collection } from "mongodb";
import type { Subject } from "../screening/rules/screening.ts";
import {
  type Compared,
  configurationRevision,
  notAheadOf,
  type OwedEvent,
  owed,
  type SubjectDocument,
  type SubjectState,
  subjectId,
  subjectOutbox,
} from "./document.ts";
import { subjectWalks } from "./walks.ts";

/** What one sweep settles. */
const unsettledMax = 500;

const indexes = [
  { key: { stamp: 1, _id: 1 }, name: "stamp" },
  { key: { keys: 1 }, name: "keys" },
  { key: { entries: 1 }, name: "entries" },
  { key: { compared_at: 1, _id: 1 }, name: "compared_id" },
  { key: { verdict: 1 }, name: "verdict" },
  { key: { "recording._id": 1 }, name: "recording", sparse: true },
  { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
] as const;

export type SubjectStore = Awaited<ReturnType<typeof openSubjectStore>>;

/** Who is monitored. */
export async function openSubjectStore({ db }: Pick<Database, "db">) {
  const subjects = db.collection<SubjectDocument>("subjects");
  await ensureIndexes(db, "subjects", indexes);
  return {
    ...subjectWrites(subjects),
    ...subjectWalks(subjects),
    outbox: subjectOutbox(subjects),

    get: async (subject: Subject): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ _id: subjectId(subject) })) ?? undefined,

    /** Those with something left to settle, from before a moment. */
    unsettled: (before: Date): Promise<SubjectDocument[]> =>
      subjects
        .find({ "recording._id": { $gt: "" }, screened_at: { $lt: before } })
        .limit(unsettledMax)
        .toArray(),

    /** How many have which verdict. */
    countByVerdict: (): Promise<[Verdict, number][]> =>
      Promise.all(
        verdicts.map(async (verdict): Promise<[Verdict, number]> => {
          return [verdict, await subjects.countDocuments({ verdict })];
        }),
      ),

    /** How many owe an event. */
    countOwed: (): Promise<number> => subjects.countDocuments(owed),
  };
}

/**
 * Each is one write that only who read the revision before may make, and only with numbers of the
 * matcher that are not older than those the subject was compared with.
 */
function subjectWrites(subjects: Collection<SubjectDocument>) {
  return {
    /**
     * Takes a screening into force, with the event that it owes; false when another one came
     * between since `before` was read.
     */
    put: async (
      before: SubjectDocument | undefined,
      { _id, ...next }: SubjectState,
      event: OwedEvent | undefined,
    ): Promise<boolean> => {
      if (before !== undefined) {
        const push = event === undefined ? {} : { $push: { outbox: event } };
        const { revision } = before;
        const filter = { _id, revision, ...notAheadOf(configurationRevision(next)) };
        const { matchedCount } = await subjects.updateOne(filter, { $set: next, ...push });
        return matchedCount === 1;
      }
      try {
        await subjects.insertOne({ _id, ...next });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /**
     * A whole comparison that found nothing new; false when another screening came between. Its
     * revision too is a new one: who read the subject before, and decisions or lists that are
     * older than these, has to begin again.
     */
    compared: async (
      { _id, revision }: SubjectDocument,
      as: Compared & Pick<SubjectDocument, "compared_at" | "keys" | "sealed">,
    ): Promise<boolean> => {
      const filter = { _id, revision, ...notAheadOf(configurationRevision(as)) };
      const { matchedCount } = await subjects.updateOne(filter, {
        $set: as,
        $inc: { revision: 1 },
      });
      return matchedCount === 1;
    },

    /** A screening is kept and its alerts are raised. */
    settled: async (_id: string, screeningId: string): Promise<void> => {
      const filter = { _id, "recording._id": screeningId };
      await subjects.updateOne(filter, { $unset: { recording: "" } });
    },
  };
}
