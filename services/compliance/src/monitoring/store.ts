import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Verdict, verdicts } from "@disburse/name-matcher/verdict.ts";
import type { Collection, Filter } from "mongodb";
import type { Subject } from "../screening/rules/screening.ts";
import {
  type Compared,
  hasPending,
  notAheadOf,
  type PendingEvent,
  type SubjectDocument,
  type SubjectState,
  subjectId,
  subjectOutbox,
} from "./document.ts";

/** What one sweep finishes. */
const unfinishedMax = 500;
/** Entries that one command looks for. */
const entriesSlice = 5_000;
/** Subjects of one page of a walk over many. */
const pageSize = 500;

/** See `openSubjectStore`. */
export type SubjectStore = ReturnType<typeof openSubjectStore>;

/** Some subjects of those that were last compared with one state. */
export type SubjectSelection = {
  readonly stamp: string;
  /** Those that have any of these keys; all when not given. */
  readonly keys?: readonly number[];
  /** Those that hit any of these entries; all when not given. */
  readonly entries?: readonly string[];
};

/** Who is monitored. */
export function openSubjectStore({ db }: Pick<Database, "db">) {
  const subjects = db.collection<SubjectDocument>("subjects");
  return {
    ...subjectWrites(subjects),
    ...subjectWalks(subjects),
    outbox: subjectOutbox(subjects),

    get: async (subject: Subject): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ _id: subjectId(subject) })) ?? undefined,

    /** Those that hit one of these entries and are not clear, in the order of their ids. */
    stoppedBy: async (entries: readonly string[], limit: number): Promise<SubjectDocument[]> => {
      const found = new Map<string, SubjectDocument>();
      for (let at = 0; at < entries.length && found.size < limit; at += entriesSlice) {
        const some = { $in: entries.slice(at, at + entriesSlice) };
        const stopped = subjects.find({ entries: some, verdict: { $ne: "clear" } }).hint("entries");
        for (const each of await stopped.limit(limit).toArray()) found.set(each._id, each);
      }
      return [...found.values()].sort((a, b) => (a._id < b._id ? -1 : 1)).slice(0, limit);
    },

    /** Those whose screening is to be stored and its alerts raised since before a moment. */
    unfinished: (before: Date): Promise<SubjectDocument[]> =>
      subjects
        .find({ "recording._id": { $gt: "" }, screened_at: { $lt: before } })
        .limit(unfinishedMax)
        .toArray(),

    /** How many have which verdict. */
    countByVerdict: () => {
      const count = async (verdict: Verdict) =>
        [verdict, await subjects.countDocuments({ verdict })] as const;
      return Promise.all(verdicts.map(count));
    },

    /** How many were last compared with anything but a state. */
    countOthers: (stamp: string): Promise<number> =>
      subjects.countDocuments({ stamp: { $ne: stamp } }),

    /** How many have a pending event. */
    countPendingEvents: (): Promise<number> => subjects.countDocuments(hasPending),
  };
}

/**
 * Each is one write that applies to the revision that was read, and only with a configuration of
 * the matcher that is not older than the one the subject was compared with.
 */
function subjectWrites(subjects: Collection<SubjectDocument>) {
  return {
    /** Takes a first screening that is already stored into force; false if another one was faster. */
    open: (opened: SubjectDocument): Promise<boolean> => insertOnce(subjects, opened),

    /**
     * Takes a screening into force, with its pending event; false when another one was faster since
     * `before` was read.
     */
    put: async (
      before: SubjectDocument | undefined,
      { _id, ...next }: SubjectState,
      event: PendingEvent | undefined,
    ): Promise<boolean> => {
      if (before === undefined) return insertOnce(subjects, { _id, ...next });
      const push = event === undefined ? {} : { $push: { outbox: event } };
      const { revision } = before;
      const filter = { _id, revision, ...notAheadOf(next.configuration_revision) };
      const { matchedCount } = await subjects.updateOne(filter, { $set: next, ...push });
      return matchedCount === 1;
    },

    /**
     * A whole comparison that found nothing new; false when another screening was faster. It counts
     * a revision too, so that a screening with older lists or decisions begins again.
     */
    compared: async (
      { _id, revision }: SubjectDocument,
      as: Compared & Pick<SubjectDocument, "compared_at" | "keys" | "sealed">,
    ): Promise<boolean> => {
      const filter = { _id, revision, ...notAheadOf(as.configuration_revision) };
      const update = { $set: as, $inc: { revision: 1 } };
      return (await subjects.updateOne(filter, update)).matchedCount === 1;
    },

    /**
     * Lists a subject for its merchant alone, or unlists it; false where there is no such subject.
     * It counts a revision, so that a screening under way begins again.
     */
    setListing: async (subject: Subject, verdict: Verdict): Promise<boolean> => {
      const listing =
        verdict === "clear" ? { $unset: { listed: "" } as const } : { $set: { listed: verdict } };
      const update = { ...listing, $inc: { revision: 1 } } as const;
      return (await subjects.updateOne({ _id: subjectId(subject) }, update)).matchedCount === 1;
    },

    /** A screening is stored and its alerts are raised. */
    finished: async (_id: string, screeningId: string): Promise<void> => {
      // A filter of the id alone costs the database less than one that compares more.
      const isIts = { $eq: ["$recording._id", { $literal: screeningId }] };
      const recording = { $cond: [isIts, "$$REMOVE", "$recording"] };
      await subjects.updateOne({ _id }, [{ $set: { recording } }]);
    },
  };
}

/** How monitoring goes over the subjects: by their ids, without opening what is sealed. */
function subjectWalks(subjects: Collection<SubjectDocument>) {
  return {
    /** The stamps of all subjects but those that have this one. */
    otherStamps: (stamp: string): Promise<string[]> =>
      subjects.distinct("stamp", { stamp: { $ne: stamp } }),

    /** Any one subject that was last compared with a state. */
    sample: async (stamp: string): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ stamp })) ?? undefined,

    /** Pages of a selection, each subject once. */
    pages: (selection: SubjectSelection) => pages(subjects, selection),

    /**
     * Pages of those that were not compared whole since a moment, nor with anything newer than a
     * configuration, the longest ago first.
     */
    notComparedSince: (moment: Date, revision: number) => overdue(subjects, moment, revision),

    /**
     * Marks the subjects of a page that no key and entry concerns as compared with the present
     * state. The write looks at each itself, so that a subject that was screened again meanwhile
     * keeps what it was compared with.
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
        ...notAheadOf(to.configuration_revision),
      };
      return (await subjects.updateMany(filter, { $set: to })).modifiedCount;
    },
  };
}

async function* pages(
  subjects: Collection<SubjectDocument>,
  { stamp, keys, entries }: SubjectSelection,
): AsyncGenerator<Subject[]> {
  const selected = {
    stamp,
    ...(keys === undefined ? {} : { keys: { $in: keys } }),
    ...(entries === undefined ? {} : { entries: { $in: entries } }),
  };
  // The most selective one: the database would rather follow the order of the page.
  const other = entries === undefined ? "stamp" : "entries";
  const hint = keys === undefined ? other : "keys";
  let after = "";
  for (;;) {
    const found = await subjects
      .find({ ...selected, _id: { $gt: after } }, { projection: { _id: 1 } })
      .hint(hint)
      .sort({ _id: 1 })
      .limit(pageSize)
      .toArray();
    const last = found.at(-1);
    if (last === undefined) return;
    after = last._id;
    yield found.map(toSubject);
  }
}

async function* overdue(
  subjects: Collection<SubjectDocument>,
  moment: Date,
  revision: number,
): AsyncGenerator<Subject[]> {
  let rest: Filter<SubjectDocument> = { compared_at: { $lt: moment } };
  for (;;) {
    const found = await subjects
      .find({ ...rest, ...notAheadOf(revision) }, { projection: { compared_at: 1 } })
      .sort({ compared_at: 1, _id: 1 })
      .limit(pageSize)
      .toArray();
    const last = found.at(-1);
    if (last === undefined) return;
    yield found.map(toSubject);
    const { _id, compared_at: at } = last;
    // A subject that cannot be screened stays behind: the walk passes it, and ends.
    const later = { compared_at: { $gt: at, $lt: moment } };
    rest = { $or: [{ compared_at: at, _id: { $gt: _id } }, later] };
  }
}

function toSubject({ _id }: Pick<SubjectDocument, "_id">): Subject {
  const [merchantId = "", recordId = ""] = _id.split(" ");
  return { merchantId, recordId };
}
