import { randomUUID } from "node:crypto";
import { isDuplicateKey } from "@disburse/chassis/mongo.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import type { ListEntry } from "./domain/list-entry.ts";
import type { ListVersion } from "./domain/list-version.ts";
import {
  type EntryDocument,
  entryDocument,
  type ImportDocument,
  type ImportRequest,
  importDocument,
  importedVersion,
  type ListDocument,
  listDocument,
} from "./list-documents.ts";

/**
 * The steps of an import, each one atomic write that a repeat finds done: begin, write, commit,
 * settle. A crash between any two leaves what `sweepImports` finishes or removes.
 */
export type ListCollections = {
  readonly lists: Collection<ListDocument>;
  readonly imports: Collection<ImportDocument>;
  readonly entries: Collection<EntryDocument>;
};

/** An importer that has written nothing for so long is gone. */
const importSilenceMaxMs = 120_000;
/** Other processes may still be reading a version when the next one comes into force. */
const supersededKeptMs = 600_000;
/** A crash is swept up within minutes; so many imports of one list do not come in between. */
const earlierKept = 20;

export type BegunImport = { readonly begun: ImportDocument };
export type RepeatedImport = { readonly repeated: ListVersion };
export type ImportRefused = Refused<"INVALID_REQUEST" | "IMPORT_RUNNING" | "IMPORT_OVERTAKEN">;

/** Takes an import up, or tells what became of the same operation before. */
export async function beginImport(
  at: ListCollections,
  request: ImportRequest,
  now: Date,
): Promise<BegunImport | RepeatedImport | ImportRefused> {
  const earlier = await at.imports.findOne({ operation_id: request.operationId, live: true });
  const known = earlier === null ? undefined : await earlierImport(at, earlier, request, now);
  if (known !== undefined) return known;
  const base = await at.lists.findOne({ _id: request.list });
  const begun = importDocument(randomUUID(), request, base?.import_id ?? "", now);
  try {
    await at.imports.insertOne(begun);
  } catch (error) {
    if (isDuplicateKey(error)) return refused("IMPORT_RUNNING");
    throw error;
  }
  return { begun };
}

/** What an earlier try of the same operation means for this one; nothing when it is dead. */
async function earlierImport(
  at: ListCollections,
  earlier: ImportDocument,
  request: ImportRequest,
  now: Date,
): Promise<RepeatedImport | ImportRefused | undefined> {
  if (earlier.list !== request.list || earlier.version !== request.version) {
    return refused("INVALID_REQUEST", "mutation.operation_id: was used for another import");
  }
  if (earlier.state === "committing") {
    const settled = await settleImport(at, earlier, now);
    return isRefused(settled) ? settled : { repeated: settled };
  }
  if (earlier.state !== "writing") return { repeated: importedVersion(earlier) };
  if (!isSilent(earlier, now)) return refused("IMPORT_RUNNING");
  await failImport(at, earlier, now);
  return undefined;
}

/** Adds entries to an import; refused when it was given up for dead meanwhile. */
export async function writeImport(
  at: ListCollections,
  { _id }: ImportDocument,
  some: readonly ListEntry[],
  now: Date,
): Promise<undefined | ImportRefused> {
  const alive = { _id, state: "writing" } as const;
  const { matchedCount } = await at.imports.updateOne(alive, { $set: { touched_at: now } });
  if (matchedCount === 0) return refused("IMPORT_OVERTAKEN");
  const documents = some.map((entry) => entryDocument(_id, entry));
  await at.entries.insertMany(documents, { ordered: false });
  return undefined;
}

/** Brings a whole import into force by one write, unless another one came first. */
export async function commitImport(
  at: ListCollections,
  { _id }: ImportDocument,
  whole: { readonly entries: number; readonly checksum: string },
  now: Date,
): Promise<ListVersion | ImportRefused> {
  const done = await at.imports.findOneAndUpdate(
    { _id, state: "writing" },
    { $set: { ...whole, state: "committing", imported_at: now, touched_at: now } },
    { returnDocument: "after" },
  );
  return done === null ? refused("IMPORT_OVERTAKEN") : settleImport(at, done, now);
}

async function settleImport(
  at: ListCollections,
  done: ImportDocument,
  now: Date,
): Promise<ListVersion | ImportRefused> {
  if (!(await switchTo(at.lists, done))) {
    await failImport(at, done, now);
    return refused("IMPORT_OVERTAKEN");
  }
  await at.imports.updateOne(
    { _id: done._id, state: "committing" },
    { $set: { state: "in_force", touched_at: now } },
  );
  return importedVersion(done);
}

async function failImport(at: ListCollections, failed: ImportDocument, now: Date): Promise<void> {
  const open = { _id: failed._id, state: { $in: ["writing", "committing"] as const } };
  await at.imports.updateOne(open, { $set: { state: "failed", live: false, touched_at: now } });
}

async function sweepEntries(at: ListCollections, importId: string): Promise<void> {
  await at.entries.deleteMany({ import_id: importId });
  await at.imports.updateOne({ _id: importId }, { $set: { swept: true } });
}

/**
 * Gives an import up at once: its entries go, its operation may be tried again. One that is already
 * committing is left alone: whether it switched is for the sweep to find out.
 */
export async function abandonImport(
  at: ListCollections,
  { _id }: ImportDocument,
  now: Date,
): Promise<void> {
  const { matchedCount } = await at.imports.updateOne(
    { _id, state: "writing" },
    { $set: { state: "failed", live: false, touched_at: now } },
  );
  if (matchedCount === 1) await sweepEntries(at, _id);
}

/** Finishes what a crash left half done, and removes the entries of what is not in force. */
export async function sweepImports(at: ListCollections, now: Date): Promise<void> {
  const inForce = new Set((await at.lists.find().toArray()).map(({ import_id }) => import_id));
  for (const each of await at.imports.find({ swept: false }).toArray()) {
    const silent = isSilent(each, now);
    if (each.state === "committing" && silent) await settleImport(at, each, now);
    else if (each.state === "writing" && silent) await failImport(at, each, now);
    else if (each.state === "in_force" && !inForce.has(each._id)) {
      const superseded = { state: "superseded", touched_at: now } as const;
      await at.imports.updateOne({ _id: each._id, state: "in_force" }, { $set: superseded });
    } else if (each.state === "failed" && silent) await sweepEntries(at, each._id);
    else if (each.state === "superseded" && isPast(each, supersededKeptMs, now)) {
      await sweepEntries(at, each._id);
    }
  }
}

function isPast({ touched_at }: ImportDocument, ms: number, now: Date): boolean {
  return now.getTime() - touched_at.getTime() > ms;
}

function isSilent(document: ImportDocument, now: Date): boolean {
  return isPast(document, importSilenceMaxMs, now);
}

/** The one write that changes what is in force. Repeated, it is seen to be done already. */
async function switchTo(lists: Collection<ListDocument>, done: ImportDocument): Promise<boolean> {
  const next = listDocument(done);
  const base = done.base_import_id;
  if (base === "") {
    try {
      await lists.insertOne({ _id: done.list, ...next, earlier: [] });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  } else {
    const earlier = { $each: [base], $slice: -earlierKept };
    const { matchedCount } = await lists.updateOne(
      { _id: done.list, import_id: base },
      { $set: next, $push: { earlier } },
    );
    if (matchedCount === 1) return true;
  }
  const now = await lists.findOne({ _id: done.list });
  return now !== null && (now.import_id === done._id || now.earlier.includes(done._id));
}
