import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo.ts";
import type { Filter } from "mongodb";
import type { Subject } from "./domain/screening.ts";
import { type Verdict, verdicts } from "./domain/verdict.ts";
import {
  type Compared,
  type OwedEvent,
  type SubjectDocument,
  type SubjectState,
  subjectId,
} from "./subject-document.ts";
import { owed, subjectOutbox } from "./subject-outbox.ts";

/** Subjects of one page of a walk over many. */
const pageSize = 500;

export type SubjectStore = Awaited<ReturnType<typeof openSubjectStore>>;

/** Some subjects of those that were last compared with one state. */
export type SubjectSelection = {
  readonly stamp: string;
  /** Those that have any of these keys; all when not given. */
  readonly keys?: readonly number[];
  /** Those that hit any of these entries; all when not given. */
  readonly entries?: readonly string[];
};

/** Who is monitored. */
export async function openSubjectStore({ db }: Pick<Database, "db">) {
  const subjects = db.collection<SubjectDocument>("subjects");
  await ensureIndexes(db, "subjects", [
    { key: { stamp: 1, _id: 1 }, name: "stamp" },
    { key: { keys: 1 }, name: "keys" },
    { key: { entries: 1 }, name: "entries" },
    { key: { compared_at: 1 }, name: "compared" },
    { key: { verdict: 1 }, name: "verdict" },
    { key: { "recording._id": 1 }, name: "recording", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
  ]);
  return {
    outbox: subjectOutbox(subjects),

    get: async (subject: Subject): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ _id: subjectId(subject) })) ?? undefined,

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
        const filter = { _id, revision: before.revision };
        const { matchedCount } = await subjects.updateOne(filter, { $set: next, ...push });
        return matchedCount === 1;
      }
      try {
        await subjects.insertOne({ _id, ...next, ...(event && { outbox: [event] }) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /** A whole comparison that found nothing new; nothing when another screening came between. */
    compared: async (
      { _id, revision }: SubjectDocument,
      as: Compared & Pick<SubjectDocument, "compared_at" | "keys" | "sealed">,
    ): Promise<boolean> =>
      (await subjects.updateOne({ _id, revision }, { $set: as })).matchedCount === 1,

    /** The screening of a revision is kept and its alerts are raised. */
    settled: async (_id: string, revision: number): Promise<void> => {
      await subjects.updateOne({ _id, revision }, { $unset: { recording: "" } });
    },

    /** Those with something left to settle, from before a moment. */
    unsettled: (before: Date): Promise<SubjectDocument[]> =>
      subjects
        .find({ "recording._id": { $gt: "" }, screened_at: { $lt: before } })
        .limit(pageSize)
        .toArray(),

    /** The stamps of all subjects but those that have this one. */
    otherStamps: (stamp: string): Promise<string[]> =>
      subjects.distinct("stamp", { stamp: { $ne: stamp } }),

    /** Any one subject that was last compared with a state. */
    sample: async (stamp: string): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ stamp })) ?? undefined,

    /** Pages of the ids that a selection has, each once. */
    pages: (selection: SubjectSelection): AsyncGenerator<Subject[]> => pages(selection),

    /** Those that were not compared whole since a moment, the first of them. */
    notComparedSince: async (moment: Date): Promise<Subject[]> => {
      const found = subjects.find({ compared_at: { $lt: moment } }, { projection: idOnly });
      return (await found.sort({ compared_at: 1 }).limit(pageSize).toArray()).map(toSubject);
    },

    /**
     * Marks those subjects of a page as compared with the present state whom none of the keys and
     * entries concern: each write looks at them itself, so that one that came by with another
     * screening meanwhile keeps what it was compared with.
     */
    restamp: async (
      page: readonly Subject[],
      { stamp, keys, entries }: Required<SubjectSelection>,
      to: Compared,
    ): Promise<number> => {
      const filter: Filter<SubjectDocument> = {
        _id: { $in: page.map(subjectId) },
        stamp,
        keys: { $nin: keys },
        entries: { $nin: entries },
      };
      return (await subjects.updateMany(filter, { $set: to })).modifiedCount;
    },

    /** How many have which verdict. */
    countByVerdict: async (): Promise<[Verdict, number][]> =>
      Promise.all(
        verdicts.map(
          async (verdict): Promise<[Verdict, number]> => [
            verdict,
            await subjects.countDocuments({ verdict }),
          ],
        ),
      ),

    /** How many owe an event. */
    countOwed: (): Promise<number> => subjects.countDocuments(owed),
  };

  async function* pages(selection: SubjectSelection): AsyncGenerator<Subject[]> {
    let after = "";
    for (;;) {
      const found = await subjects
        .find({ ...selected(selection), _id: { $gt: after } }, { projection: idOnly })
        .hint(indexOf(selection))
        .sort({ _id: 1 })
        .limit(pageSize)
        .toArray();
      const last = found.at(-1);
      if (last === undefined) return;
      after = last._id;
      yield found.map(toSubject);
    }
  }
}

const idOnly = { _id: 1 } as const;

function toSubject({ _id }: Pick<SubjectDocument, "_id">): Subject {
  const [merchantId = "", recordId = ""] = _id.split(" ");
  return { merchantId, recordId };
}

function selected({ stamp, keys, entries }: SubjectSelection): Filter<SubjectDocument> {
  return {
    stamp,
    ...(keys === undefined ? {} : { keys: { $in: keys } }),
    ...(entries === undefined ? {} : { entries: { $in: entries } }),
  };
}

/** What tells most of a selection: the database would rather go by the order of the page. */
function indexOf({ keys, entries }: SubjectSelection): string {
  if (keys !== undefined) return "keys";
  return entries === undefined ? "stamp" : "entries";
}
