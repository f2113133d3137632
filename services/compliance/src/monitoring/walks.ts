import type { Collection, Filter } from "mongodb";
import type { Subject } from "../screening/rules/screening.ts";
import {
  type Compared,
  configurationRevision,
  notAheadOf,
  type SubjectDocument,
  subjectId,
} from "./document.ts";

/** Subjects of one page of a walk over many. */
const pageSize = 500;

/** Some subjects of those that were last compared with one state. */
export type SubjectSelection = {
  readonly stamp: string;
  /** Those that have any of these keys; all when not given. */
  readonly keys?: readonly number[];
  /** Those that hit any of these entries; all when not given. */
  readonly entries?: readonly string[];
};

/** How monitoring goes over the subjects: by their ids, never by what they have sealed. */
export function subjectWalks(subjects: Collection<SubjectDocument>) {
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
    notComparedSince: (moment: Date, revision: number) => pagesBefore(subjects, moment, revision),

    /**
     * Marks those subjects of a page as compared with the present state whom none of the keys and
     * entries concern: the write looks at each itself, so that one that came by with another
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
        ...notAheadOf(configurationRevision(to)),
      };
      return (await subjects.updateMany(filter, { $set: to })).modifiedCount;
    },
  };
}

const idOnly = { _id: 1 } as const;

async function* pages(
  subjects: Collection<SubjectDocument>,
  selection: SubjectSelection,
): AsyncGenerator<Subject[]> {
  let after = "";
  for (;;) {
    const found = await subjects
      .find({ ...filterOf(selection), _id: { $gt: after } }, { projection: idOnly })
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

async function* pagesBefore(
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
    // Who is left behind stays there: the walk goes on after him, and ends.
    const later = { compared_at: { $gt: at, $lt: moment } };
    rest = { $or: [{ compared_at: at, _id: { $gt: _id } }, later] };
  }
}

function filterOf({ stamp, keys, entries }: SubjectSelection): Filter<SubjectDocument> {
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

function toSubject({ _id }: Pick<SubjectDocument, "_id">): Subject {
  const [merchantId = "", recordId = ""] = _id.split(" ");
  return { merchantId, recordId };
}
