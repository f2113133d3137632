import { randomUUID } from "node:crypto";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { Binary, type Collection } from "mongodb";
import type { Chunk } from "../chunks.ts";
import {
  type ChunkDocument,
  chunkFields,
  chunksInForce,
  type ImportDocument,
  type ImportRequest,
  importDocument,
  type ListDocument,
  listDocument,
  type ReadImport,
} from "../documents.ts";

/**
 * The steps of an import: begin, stage (its contents), write chunks, commit, settle. Each is an
 * atomic write that is safe to repeat. After a crash between two steps, the sweep completes or
 * removes the rest (`sweepImports`).
 */
export type ListCollections = {
  readonly lists: Collection<ListDocument>;
  readonly imports: Collection<ImportDocument>;
  readonly chunks: Collection<ChunkDocument>;
};

/** Chunks per command: some 1 MiB, and a millisecond of this thread. */
const chunksAtOnce = 16;
/** An import without a write for this long has crashed. */
const importSilenceMaxMs = 120_000;
/** A crash is swept within minutes; a list has fewer imports in that time. */
const earlierKept = 20;

type RepeatedImport = { readonly repeated: ImportDocument };
/** Reasons why an import does not come into force. */
export type ImportRefused = Refused<"INVALID_REQUEST" | "IMPORT_RUNNING" | "IMPORT_OVERTAKEN">;

/** Begins an import, or returns the outcome of an earlier attempt of the operation. */
export async function beginImport(
  at: ListCollections,
  request: ImportRequest,
  now: Date,
): Promise<{ begun: ImportDocument } | RepeatedImport | ImportRefused> {
  const earlier = await at.imports.findOne({ operation_id: request.operationId, live: true });
  const known = earlier === null ? undefined : await earlierImport(at, earlier, request, now);
  if (known !== undefined) return known;
  const base = await at.lists.findOne({ _id: request.list });
  const begun = importDocument(randomUUID(), request, base?.import_id ?? "", now);
  return (await insertOnce(at.imports, begun)) ? { begun } : refused("IMPORT_RUNNING");
}

/** Returns the outcome of an earlier attempt of the operation; nothing if that attempt has died. */
async function earlierImport(
  at: ListCollections,
  earlier: ImportDocument,
  request: ImportRequest,
  now: Date,
): Promise<RepeatedImport | ImportRefused | undefined> {
  const { list, version, format, acceptDropReason } = request;
  const isSame =
    earlier.list === list &&
    earlier.version === version &&
    earlier.format === format &&
    earlier.accept_drop_reason === acceptDropReason;
  if (!isSame) return otherContent;
  if (earlier.state === "committing") {
    const settled = await settleImport(at, earlier, now);
    return isRefused(settled) ? settled : { repeated: settled };
  }
  if (earlier.state !== "reading") return { repeated: earlier };
  if (!isSilent(earlier, now)) return refused("IMPORT_RUNNING");
  await failImport(at, earlier, now);
  return undefined;
}

/**
 * Stores the ids of an import's chunks before they are written, so that the sweep keeps them.
 * Refused if the import was meanwhile given up as dead.
 */
export async function stageImport(
  at: ListCollections,
  { _id }: ImportDocument,
  { entries, checksum, change, chunks, retained, notes }: ReadImport,
  now: Date,
): Promise<undefined | ImportRefused> {
  const { matchedCount } = await at.imports.updateOne(
    { _id, state: "reading" },
    { $set: { entries, checksum, change, chunks, retained, notes, touched_at: now } },
  );
  return matchedCount === 1 ? undefined : refused("IMPORT_OVERTAKEN");
}

/** Writes chunks, or touches existing ones, so that the sweep keeps them. */
export async function writeChunks(
  at: ListCollections,
  chunks: readonly Chunk[],
  now: Date,
): Promise<void> {
  for (let from = 0; from < chunks.length; from += chunksAtOnce) {
    const writes = chunks.slice(from, from + chunksAtOnce).map(({ id, bytes }) => ({
      updateOne: {
        filter: { _id: id },
        update: { $setOnInsert: chunkFields(new Binary(bytes)), $set: { touched_at: now } },
        upsert: true,
      },
    }));
    await at.chunks.bulkWrite(writes, { ordered: false });
  }
}

/** Brings a staged import whose chunks are all stored into force, unless another was faster. */
export async function commitImport(
  at: ListCollections,
  { _id }: ImportDocument,
  now: Date,
): Promise<ImportDocument | ImportRefused> {
  const done = await at.imports.findOneAndUpdate(
    { _id, state: "reading", "chunks.0": { $exists: true } },
    { $set: { state: "committing", imported_at: now, touched_at: now } },
    { returnDocument: "after" },
  );
  return done === null ? refused("IMPORT_OVERTAKEN") : settleImport(at, done, now);
}

/** Switches to a committing import, or detects that it or another import already switched. */
async function settleImport(
  at: ListCollections,
  done: ImportDocument,
  now: Date,
): Promise<ImportDocument | ImportRefused> {
  if (!(await switchTo(at.lists, done))) {
    await failImport(at, done, now);
    return refused("IMPORT_OVERTAKEN");
  }
  await at.imports.updateOne(
    { _id: done._id, state: "committing" },
    { $set: { state: "in_force", touched_at: now } },
  );
  return { ...done, state: "in_force" };
}

/** Keeps a refused import with its reason. It has not written chunks yet. */
export async function refuseImport(
  at: ListCollections,
  { _id }: ImportDocument,
  problem: string,
  read: Partial<Pick<ReadImport, "entries" | "change">> & Pick<ReadImport, "checksum">,
  now: Date,
): Promise<void> {
  const ended = { state: "refused", live: false, swept: true, touched_at: now } as const;
  await at.imports.updateOne({ _id, state: "reading" }, { $set: { ...read, ...ended, problem } });
}

/**
 * Gives up an import at once, so that its operation may be tried again. A committing import is left
 * alone, because only the sweep can determine if it switched.
 */
export async function abandonImport(
  at: ListCollections,
  { _id }: ImportDocument,
  now: Date,
): Promise<void> {
  const failed = { state: "failed", live: false, touched_at: now } as const;
  await at.imports.updateOne({ _id, state: "reading" }, { $set: failed });
}

async function failImport(at: ListCollections, failed: ImportDocument, now: Date): Promise<void> {
  const open = { _id: failed._id, state: { $in: ["reading", "committing"] as const } };
  await at.imports.updateOne(open, { $set: { state: "failed", live: false, touched_at: now } });
}

function isPast({ touched_at }: ImportDocument, ms: number, now: Date): boolean {
  return now.getTime() - touched_at.getTime() > ms;
}

function isSilent(document: ImportDocument, now: Date): boolean {
  return isPast(document, importSilenceMaxMs, now);
}

/** The one write that changes the lists in force. A repeat detects that it already happened. */
async function switchTo(lists: Collection<ListDocument>, done: ImportDocument): Promise<boolean> {
  const next = listDocument(done);
  const base = done.base_import_id;
  if (base === "") {
    if (await insertOnce(lists, { _id: done.list, ...next, earlier: [] })) return true;
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

/**
 * Chunks of a failed import are kept this long. Another import that found them stored needs them,
 * and first names them in its own document (`stageImport`).
 */
const orphansKeptMs = 3_600_000;

/** Completes imports after a crash, and removes chunks that never came into force. */
export async function sweepImports(at: ListCollections, now: Date): Promise<void> {
  const lists = await at.lists.find({}, { projection: { import_id: 1 } }).toArray();
  const inForce = new Set(lists.map(({ import_id }) => import_id));
  for (const each of await at.imports.find({ swept: false }).toArray()) {
    const silent = isSilent(each, now);
    if (each.state === "committing" && silent) await settleImport(at, each, now);
    else if (each.state === "reading" && silent) await failImport(at, each, now);
    else if (each.state === "in_force" && !inForce.has(each._id)) {
      const superseded = { state: "superseded", swept: true, touched_at: now } as const;
      await at.imports.updateOne({ _id: each._id, state: "in_force" }, { $set: superseded });
    } else if (each.state === "failed" && isPast(each, orphansKeptMs, now)) {
      await sweepChunks(at, each, now);
    }
  }
}

/**
 * Removes the chunks that only a failed import has. If another import starts to use one, it has
 * already named it, or touches or writes it again afterwards.
 */
async function sweepChunks(at: ListCollections, failed: ImportDocument, now: Date): Promise<void> {
  const needed = await neededChunks(at, failed);
  const orphans = chunksInForce(failed).filter((id) => !needed.has(id));
  if (orphans.length > 0) {
    const untouched = { $lt: new Date(now.getTime() - orphansKeptMs) };
    await at.chunks.deleteMany({ _id: { $in: orphans }, touched_at: untouched });
  }
  await at.imports.updateOne({ _id: failed._id }, { $set: { swept: true } });
}

/** The chunks of a failed import that other imports of its list share. */
async function neededChunks(
  at: ListCollections,
  failed: ImportDocument,
): Promise<ReadonlySet<ChunkDocument["_id"]>> {
  const kept = { $in: ["reading", "committing", "in_force", "superseded"] as const };
  const some = { $in: [...chunksInForce(failed)] };
  const others = await at.imports
    .find({ list: failed.list, state: kept, $or: [{ chunks: some }, { "retained.chunks": some }] })
    .project<Pick<ImportDocument, "chunks" | "retained">>({ chunks: 1, retained: 1 })
    .toArray();
  return new Set(others.flatMap(chunksInForce));
}
