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
 * An import runs in these steps: begin, stage, write chunks, commit, settle. Each step is an atomic
 * write that is safe to repeat. After a crash between two steps, `sweepImports` completes the
 * import or removes its chunks.
 */
export type ListCollections = {
  readonly lists: Collection<ListDocument>;
  readonly imports: Collection<ImportDocument>;
  readonly chunks: Collection<ChunkDocument>;
};

/** The chunks to write per command: about 1 MiB, which takes this thread a millisecond. */
const chunksAtOnce = 16;
/** The maximum time without a write. An import that is silent for longer has crashed. */
const importSilenceMaxMs = 120_000;
/**
 * The number of earlier import ids to keep. A crash is swept within minutes, and a list has fewer
 * imports in that time.
 */
const earlierKept = 20;

type RepeatedImport = { readonly repeated: ImportDocument };
/** Reasons why an import does not come into force. */
export type ImportRefused = Refused<"INVALID_REQUEST" | "IMPORT_RUNNING" | "IMPORT_OVERTAKEN">;

/** Begins an import. If the operation already began one, returns the outcome of that attempt. */
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

/**
 * Returns the outcome of an earlier attempt of the operation. Returns `undefined` if there is none,
 * or if it has crashed.
 */
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
 * Stores the ids of an import's chunks before the chunks are written, so that the sweep keeps them.
 * Refuses if the import was meanwhile given up as crashed.
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

/** Writes new chunks, and updates `touched_at` of existing ones, so that the sweep keeps them. */
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

/**
 * Brings a staged import into force, after all its chunks are stored. Refuses if another import
 * came into force first.
 */
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

/**
 * Completes a committing import: brings it into force, or detects that it or another import already
 * is.
 */
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

/** Stores an import as refused, with the reason. A refused import has no chunks yet. */
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
 * Marks an import as failed at once, so that its operation may be tried again. A committing import
 * stays unchanged, because only the sweep can determine whether it came into force.
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

/**
 * Brings an import into force. This is the only write that changes the lists in force. A repeat
 * detects that the import is already in force.
 */
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
 * The time for which chunks of a failed import are kept. Another import may have found these chunks
 * stored and needs them. It names them in its own document first (`stageImport`).
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
 * Removes chunks that only a failed import uses. An import that starts to use such a chunk
 * meanwhile does not lose it: it has named the chunk already, or touches or writes it again
 * afterwards.
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

/** Returns the chunks of a failed import that other imports of the list also use. */
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
