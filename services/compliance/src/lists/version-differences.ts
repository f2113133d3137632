import type { MessageInitShape } from "@bufbuild/protobuf";
import { readLimit } from "@disburse/chassis/paging/page.ts";
import type {
  CompareImportsRequest,
  CompareImportsResponseSchema,
  EntryDifferenceSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { EntryDifference_Kind } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { invalidCursor, isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { bucketNumber, compareChunks, unshared } from "./chunks.ts";
import { entryShape } from "./listed-entry.ts";
import { changedFields, type DifferingEntry, differingEntries } from "./rules/entry.ts";
import type { ListStore } from "./store.ts";
import { listVersionShape } from "./wire.ts";

type Store = Pick<ListStore, "readChunks" | "switchedImport">;
type Wanted = Pick<CompareImportsRequest, "importId" | "baseImportId" | "limit" | "cursor">;

/** The position after a page: the last entry's bucket and uid. */
type Cursor = { readonly bucket: number; readonly uid: string };

/**
 * Returns a page of the differences between an import and an earlier one. It reads only chunks that
 * the two do not share, bucket by bucket, until the page is full.
 */
export async function compareImports(
  store: Store,
  { importId, baseImportId, limit: wanted, cursor }: Wanted,
): Promise<
  | MessageInitShape<typeof CompareImportsResponseSchema>
  | Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND">
> {
  const limit = readLimit(wanted);
  if (isRefused(limit)) return limit;
  const after = cursor === "" ? undefined : readCursor(cursor);
  if (cursor !== "" && after === undefined) {
    return invalidCursor;
  }
  const imported = await store.switchedImport(importId);
  if (imported === undefined) return refused("RECORD_NOT_FOUND");
  const baseId = baseImportId || imported.baseImportId;
  const base = baseId === "" ? undefined : await store.switchedImport(baseId);
  if (baseId !== "" && base === undefined) return refused("RECORD_NOT_FOUND");
  const { list } = imported.version;
  if (base !== undefined && base.version.list !== list) {
    return refused(
      "INVALID_REQUEST",
      "base_import_id: must be an import of the same list as import_id",
    );
  }
  const found: (DifferingEntry & Cursor)[] = [];
  for await (const some of differences(store, base?.chunks ?? [], imported.chunks, after)) {
    found.push(...some);
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    version: listVersionShape(imported.version),
    ...(base && { base: listVersionShape(base.version) }),
    differences: shown.map((each) => differenceShape(list, each)),
    nextCursor: last === undefined ? "" : writeCursor(last),
  };
}

/** Yields the differences bucket by bucket, from a position on. */
async function* differences(
  store: Pick<Store, "readChunks">,
  before: readonly string[],
  after: readonly string[],
  from: Cursor | undefined,
): AsyncGenerator<(DifferingEntry & Cursor)[]> {
  const apart = unshared(before, after);
  const numbers = new Set([...apart.before, ...apart.after].map(bucketNumber));
  const buckets = [...numbers].filter((each) => each >= (from?.bucket ?? 0));
  for (const bucket of buckets.sort((one, two) => one - two)) {
    const inBucket = (id: string): boolean => bucketNumber(id) === bucket;
    const old = await store.readChunks(apart.before.filter(inBucket));
    const fresh = await store.readChunks(apart.after.filter(inBucket));
    const all = differingEntries(compareChunks(old, fresh));
    const isLater = ({ uid }: DifferingEntry) => bucket !== from?.bucket || uid > from.uid;
    yield all
      .filter(isLater)
      .sort((one, two) => (one.uid < two.uid ? -1 : 1))
      .map((each) => ({ ...each, bucket }));
  }
}

export function differenceShape(
  list: string,
  { uid, before, after }: DifferingEntry,
): MessageInitShape<typeof EntryDifferenceSchema> {
  const { ADDED, CHANGED, REMOVED } = EntryDifference_Kind;
  const isBoth = before !== undefined && after !== undefined;
  return {
    uid,
    kind: isBoth ? CHANGED : after === undefined ? REMOVED : ADDED,
    ...(before && { before: entryShape(list, before) }),
    ...(after && { after: entryShape(list, after) }),
    changedFields: isBoth ? changedFields(before, after) : [],
  };
}

function writeCursor({ bucket, uid }: Cursor): string {
  return Buffer.from(`${bucket} ${uid}`).toString("base64url");
}

function readCursor(text: string): Cursor | undefined {
  const [, bucket, uid] = /^(\d{1,3}) (.+)$/s.exec(Buffer.from(text, "base64url").toString()) ?? [];
  return bucket === undefined || uid === undefined ? undefined : { bucket: Number(bucket), uid };
}
