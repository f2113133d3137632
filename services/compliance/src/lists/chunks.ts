import { createHash } from "node:crypto";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { type EntryDifference, inOrder, type ListEntry } from "./rules/entry.ts";

/**
 * The number of chunks per list. A daily change affects few chunks, and reading one takes a
 * millisecond or two. A list of 21,717 entries has 340 per chunk.
 */
const buckets = 64;

/** The entries of one bucket of a list, as canonical lines sorted by uid, gzipped. */
export type Chunk = { readonly id: string; readonly bytes: Uint8Array };

/**
 * Packs a list into chunks. A chunk's id contains a hash of its content. Equal entries give equal
 * chunks, in whatever order the publisher sorts them.
 */
export function packEntries(list: string, entries: readonly ListEntry[]): Chunk[] {
  const filled = new Map<number, ListEntry[]>();
  for (const entry of entries) {
    const bucket = bucketOf(entry.uid);
    const some = filled.get(bucket);
    if (some === undefined) filled.set(bucket, [entry]);
    else some.push(entry);
  }
  const inOrder = [...filled].sort(([a], [b]) => a - b);
  return inOrder.map(([bucket, some]) => packBucket(`${list}:${bucket}`, some));
}

function packBucket(name: string, entries: ListEntry[]): Chunk {
  const text = entries.sort(byUid).map(entryLine).join("\n");
  const hash = createHash("sha256").update(text).digest("hex");
  // Copies the bytes into their own buffer, because buffers are transferred to threads as a whole.
  const bytes = Uint8Array.from(gzipSync(text, { level: constants.Z_BEST_SPEED }));
  return { id: `${name}:${hash}`, bytes };
}

function bucketOf(uid: string): number {
  return createHash("sha256").update(uid).digest().readUInt32BE(0) % buckets;
}

/**
 * Returns the name under which retained forms of a list are packed. No list has this name, so a
 * retained form is never compared with the published entry of the same uid.
 */
export function retainedName(list: string): string {
  return `${list}+`;
}

/**
 * Returns the bucket number of a chunk. Published and retained chunks with the same number contain
 * the same range of uids.
 */
export function bucketNumber(id: string): number {
  const bucket = chunkBucket(id);
  return Number(bucket.slice(bucket.lastIndexOf(":") + 1));
}

/** Returns the `chunkBucket` of the chunk that would contain an entry. */
export function entryBucket(list: string, uid: string): string {
  return `${list}:${bucketOf(uid)}`;
}

/**
 * Returns the part of a chunk's id before the hash. Chunks with the same part contain the same
 * range of uids.
 */
export function chunkBucket(id: string): string {
  return id.slice(0, id.lastIndexOf(":"));
}

function byUid(a: ListEntry, b: ListEntry): number {
  // Several retained forms may have the same uid. They are sorted by content, so that equal forms
  // give equal chunks.
  if (a.uid === b.uid) return entryLine(a) < entryLine(b) ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}

/** Writes an entry as a line that does not depend on the order of its fields. */
export function entryLine(entry: ListEntry): string {
  return JSON.stringify(entry, (_, value: unknown) => inOrder(value));
}

/** Throws if the bytes do not match the chunk's name. */
export function chunkLines({ id, bytes }: Chunk): string[] {
  const text = gunzipSync(bytes);
  const hash = createHash("sha256").update(text).digest("hex");
  if (!id.endsWith(`:${hash}`))
    throw new Error(`the stored list chunk ${id} does not match its hash`);
  return text.toString("utf8").split("\n");
}

export function lineEntry(line: string): ListEntry {
  return JSON.parse(line) as ListEntry;
}

/** Compares the chunks of two sides line by line. Parses only lines that the other side lacks. */
export function compareChunks(before: readonly Chunk[], after: readonly Chunk[]): EntryDifference {
  const oldLines = new Set(before.flatMap(chunkLines));
  const newLines = new Set(after.flatMap(chunkLines));
  const oldByUid = new Map<string, ListEntry>();
  for (const line of oldLines.difference(newLines)) {
    const entry = lineEntry(line);
    oldByUid.set(entry.uid, entry);
  }
  const added: ListEntry[] = [];
  const changed: { before: ListEntry; after: ListEntry }[] = [];
  for (const line of newLines.difference(oldLines)) {
    const entry = lineEntry(line);
    const old = oldByUid.get(entry.uid);
    oldByUid.delete(entry.uid);
    if (old === undefined) added.push(entry);
    else changed.push({ before: old, after: entry });
  }
  return { added, changed, removed: [...oldByUid.values()] };
}

/** The chunks of each side that the other side lacks. */
export function unshared<T>(before: readonly T[], after: readonly T[]) {
  const [old, fresh] = [new Set(before), new Set(after)];
  return {
    before: before.filter((each) => !fresh.has(each)),
    after: after.filter((each) => !old.has(each)),
  };
}
