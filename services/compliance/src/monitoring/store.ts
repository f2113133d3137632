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

/** Screenings that one sweep completes. */
const unfinishedMax = 500;
/** Entries that one command searches. */
const entriesSlice = 5_000;
const pageSize = 500;

export type SubjectStore = ReturnType<typeof openSubjectStore>;

/** Selects subjects by the stamp of their last comparison. */
export type SubjectSelection = {
  readonly stamp: string;
  /** Selects subjects with any of these keys. Without it, all subjects. */
  readonly keys?: readonly number[];
  /** Selects subjects with a hit of any of these entries. Without it, all subjects. */
  readonly entries?: readonly string[];
};

export function openSubjectStore({ db }: Pick<Database, "db">) {
  const subjects = db.collection<SubjectDocument>("subjects");
  return {
    ...subjectWrites(subjects),
    ...subjectScans(subjects),
    outbox: subjectOutbox(subjects),

    get: async (subject: Subject): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ _id: subjectId(subject) })) ?? undefined,

    /** Returns subjects that have a hit of these entries and are not clear, sorted by id. */
    stoppedBy: async (entries: readonly string[], limit: number): Promise<SubjectDocument[]> => {
      const found = new Map<string, SubjectDocument>();
      for (let at = 0; at < entries.length && found.size < limit; at += entriesSlice) {
        const some = { $in: entries.slice(at, at + entriesSlice) };
        const stopped = subjects.find({ entries: some, verdict: { $ne: "clear" } }).hint("entries");
        for (const each of await stopped.limit(limit).toArray()) found.set(each._id, each);
      }
      return [...found.values()].sort((a, b) => (a._id < b._id ? -1 : 1)).slice(0, limit);
    },

    /**
     * Returns subjects with an unfinished screening older than a moment: it is not stored, or its
     * alerts are not raised.
     */
    unfinished: (before: Date): Promise<SubjectDocument[]> =>
      subjects
        .find({ "recording._id": { $gt: "" }, screened_at: { $lt: before } })
        .limit(unfinishedMax)
        .toArray(),

    countByVerdict: () => {
      const count = async (verdict: Verdict) =>
        [verdict, await subjects.countDocuments({ verdict })] as const;
      return Promise.all(verdicts.map(count));
    },

    /** Counts subjects with another stamp than this one. */
    countOthers: (stamp: string): Promise<number> =>
      subjects.countDocuments({ stamp: { $ne: stamp } }),

    /** Counts subjects with a pending event. */
    countPendingEvents: (): Promise<number> => subjects.countDocuments(hasPending),
  };
}

/**
 * The writes to subjects. Each applies only if the stored revision is the one that was read, and if
 * the stored configuration is not newer.
 */
function subjectWrites(subjects: Collection<SubjectDocument>) {
  return {
    /**
     * Brings a subject's first screening, which is already stored, into force. Returns false if
     * another write came first.
     */
    open: (opened: SubjectDocument): Promise<boolean> => insertOnce(subjects, opened),

    /**
     * Brings a screening into force, with its pending event. Returns false if another write came
     * first since `before` was read.
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
     * Records a full comparison that found nothing new. Returns false if another write came first.
     * Increases the revision, so that a concurrent screening with older lists or decisions starts
     * again.
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
     * Sets or removes a sandbox merchant's own listing of a subject. Returns false if the subject
     * does not exist. Increases the revision, so that a running screening starts again.
     */
    setListing: async (subject: Subject, verdict: Verdict): Promise<boolean> => {
      const listing =
        verdict === "clear" ? { $unset: { listed: "" } as const } : { $set: { listed: verdict } };
      const update = { ...listing, $inc: { revision: 1 } } as const;
      return (await subjects.updateOne({ _id: subjectId(subject) }, update)).matchedCount === 1;
    },

    /** Removes a screening that is stored and whose alerts are raised. */
    finished: async (_id: string, screeningId: string): Promise<void> => {
      // Filters by id alone and compares within the update, because this costs the database less.
      const isIts = { $eq: ["$recording._id", { $literal: screeningId }] };
      const recording = { $cond: [isIts, "$$REMOVE", "$recording"] };
      await subjects.updateOne({ _id }, [{ $set: { recording } }]);
    },
  };
}

/** Scans subjects by their ids, without decrypting fields. */
function subjectScans(subjects: Collection<SubjectDocument>) {
  return {
    /** Returns the different stamps of all subjects, except this one. */
    otherStamps: (stamp: string): Promise<string[]> =>
      subjects.distinct("stamp", { stamp: { $ne: stamp } }),

    /** Returns one subject with this stamp. */
    sample: async (stamp: string): Promise<SubjectDocument | undefined> =>
      (await subjects.findOne({ stamp })) ?? undefined,

    /** Yields pages of a selection, with each subject once. */
    pages: (selection: SubjectSelection) => pages(subjects, selection),

    /**
     * Yields pages of subjects whose last full comparison was before a moment, oldest first. Skips
     * subjects that were compared with a newer configuration.
     */
    /**
     * Makes all subjects of a merchant overdue for a full comparison. Returns their number, or
     * `undefined` if there are none. A repeat goes on where an interrupted call ended.
     */
    makeOverdue: async (merchantId: string): Promise<number | undefined> => {
      // `subjectId` joins merchant and record by a space, and "!" follows it.
      const ofMerchant = { _id: { $gte: `${merchantId} `, $lt: `${merchantId}!` } };
      const overdue = { $set: { compared_at: new Date(0) } };
      const fresh = { ...ofMerchant, compared_at: { $gt: new Date(0) } };
      await subjects.updateMany(fresh, overdue, { hint: "_id_" });
      return (await subjects.countDocuments(ofMerchant)) || undefined;
    },

    notComparedSince: (moment: Date, revision: number) => overdue(subjects, moment, revision),

    /**
     * Marks the subjects of a page as compared with the current state, except those that a key or
     * entry concerns. The write checks each subject, so a subject that was screened meanwhile keeps
     * its own state.
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
  // A hint for the most selective index. Without it, the database prefers the index with the order
  // of pages.
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
    // Continues after the last subject, even if it could not be screened, so that the scan ends.
    const later = { compared_at: { $gt: at, $lt: moment } };
    rest = { $or: [{ compared_at: at, _id: { $gt: _id } }, later] };
  }
}

function toSubject({ _id }: Pick<SubjectDocument, "_id">): Subject {
  const [merchantId = "", recordId = ""] = _id.split(" ");
  return { merchantId, recordId };
}
