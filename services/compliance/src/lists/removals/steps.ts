import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { packEntries, retainedName } from "../chunks.ts";
import { importedVersion, noneRetained } from "../documents.ts";
import {
  abandonImport,
  beginImport,
  commitImport,
  type ImportRefused,
  stageImport,
  writeChunks,
} from "../imports/steps.ts";
import type { ListEntry } from "../rules/entry.ts";
import type { ListVersion } from "../rules/version.ts";
import type { ListStore } from "../store.ts";

/** A removal of an import's retained forms. `kept` are the forms that stay in force. */
export type Removal = Change & {
  readonly list: string;
  readonly importId: string;
  readonly kept: readonly ListEntry[];
  readonly note: string;
};

/**
 * Brings an import into force again with fewer retained forms, or with none. It runs as a new
 * import, so that a crash leaves no partial state, and each state belongs to an import.
 */
export async function removeForms(
  { lists, clock }: { readonly lists: ListStore; readonly clock: Clock },
  { list, importId, kept, note, operationId, actor }: Removal,
): Promise<ListVersion | ImportRefused | Refused<"RECORD_NOT_FOUND">> {
  const at = lists.collections;
  const base = await lists.switchedImport(importId);
  if (base === undefined || base.version.list !== list) return refused("RECORD_NOT_FOUND");
  const { version, format, chunks, retained } = base;
  const started = await beginImport(
    at,
    {
      list,
      version: version.version,
      format,
      operationId,
      actor,
      acceptDropReason: "",
      isPublished: false,
    },
    clock.now(),
  );
  if (isRefused(started)) return started;
  if ("repeated" in started) return importedVersion(started.repeated);
  const { begun } = started;
  if (begun.base_import_id !== importId || retained.forms === 0) {
    await abandonImport(at, begun, clock.now());
    return refused("RECORD_NOT_FOUND");
  }
  const packed = packEntries(retainedName(list), kept);
  const forms = { chunks: packed.map(({ id }) => id), forms: kept.length };
  const staged = await stageImport(
    at,
    begun,
    {
      entries: version.entries,
      checksum: version.checksum,
      chunks,
      notes: [note],
      change: { added: 0, changed: 0, removed: 0 },
      retained: kept.length === 0 ? noneRetained : { ...retained, ...forms },
    },
    clock.now(),
  );
  if (staged !== undefined) return staged;
  await writeChunks(at, packed, clock.now());
  const done = await commitImport(at, begun, clock.now());
  return isRefused(done) ? done : importedVersion(done);
}
