import {
  type Chunk,
  chunkLines,
  compareChunks,
  lineEntry,
  packEntries,
  retainedName,
  unshared,
} from "../chunks.ts";
import type { ListFile } from "../formats/file-bytes.ts";
import { readList } from "../formats/list-format.ts";
import { type DifferingEntry, differingEntries } from "../rules/entry.ts";
import { type DetailLoss, detailLoss, rewrittenEntries } from "../rules/loss.ts";
import { retainedForms } from "../rules/retained.ts";
import type { ListChange } from "../rules/version.ts";

/** A list to read, and the chunks of its version in force. */
export type ImportWork = {
  readonly list: string;
  readonly format: string;
  readonly files: readonly ListFile[];
  readonly base: readonly Chunk[];
  /** The chunks of forms that the version in force retains. */
  readonly retained: readonly Chunk[];
};

/** A list that was read, with all its chunks and the bytes of the new ones. */
export type ReadWork = {
  readonly entries: number;
  readonly change: ListChange;
  readonly detailLoss: DetailLoss;
  /**
   * The number of entries in force that lose details which screening compares (`rewrittenEntries`).
   */
  readonly rewritten: number;
  readonly chunks: readonly string[];
  /** Forms in force that no entry of the new list covers; see `covers`. */
  readonly retained: { readonly chunks: readonly string[]; readonly forms: number };
  readonly fresh: readonly Chunk[];
  /** Some of the entries that differ, to show to a person. */
  readonly sample: readonly DifferingEntry[];
  /** Unreadable details that do not cause a refusal. */
  readonly notes: readonly string[];
  /** Reasons to think that the files are incomplete. */
  readonly gaps: readonly string[];
};

const sampleMax = 100;

/** The reason why an import is refused. */
export type ImportProblem = { readonly problem: string };

/**
 * Reads a list completely, packs it and compares it with the version in force. Runs in a worker
 * thread.
 */
export function readImport(work: ImportWork): ReadWork | ImportProblem {
  const { list, format, files, base } = work;
  const read = readList(format, files);
  if ("problem" in read) return read;
  const { entries, notes, gaps } = read;
  if (entries.length === 0) return { problem: "files: must have at least one entry" };
  const uids = new Set<string>();
  for (const { uid } of entries) {
    if (uids.has(uid)) return { problem: `uid ${uid} occurs twice` };
    uids.add(uid);
  }
  const packed = packEntries(list, entries);
  const chunks = packed.map(({ id }) => id);
  const apart = unshared(
    base.map(({ id }) => id),
    chunks,
  );
  const [gone, come] = [new Set(apart.before), new Set(apart.after)];
  const fresh = packed.filter(({ id }) => come.has(id));
  const difference = compareChunks(
    base.filter(({ id }) => gone.has(id)),
    fresh,
  );
  const { added, changed, removed } = difference;
  const forms = retainedForms(
    [
      ...removed,
      ...changed.map(({ before }) => before),
      ...work.retained.flatMap(chunkLines).map(lineEntry),
    ],
    Map.groupBy(entries, ({ uid }) => uid),
  );
  const kept = packEntries(retainedName(list), forms);
  return {
    entries: entries.length,
    change: { added: added.length, changed: changed.length, removed: removed.length },
    detailLoss: detailLoss(entries, difference),
    rewritten: rewrittenEntries(changed),
    chunks,
    retained: { chunks: kept.map(({ id }) => id), forms: forms.length },
    fresh: [...fresh, ...kept],
    sample: differingEntries(difference).slice(0, sampleMax),
    notes,
    gaps,
  };
}
