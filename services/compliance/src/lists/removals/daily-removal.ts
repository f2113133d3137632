import { setImmediate as nextTurn } from "node:timers/promises";
import { bucketNumber, chunkLines, lineEntry, unshared } from "../chunks.ts";
import type { StoredList } from "../documents.ts";
import type { ListEntry } from "../rules/entry.ts";
import { isDailyRemoval, retainedForms } from "../rules/retained.ts";
import type { ListStore } from "../store.ts";

const dayMs = 86_400_000;

/**
 * Whether a list that retained only `kept` would have lost no more since a day ago than may go
 * without a person. Compared with the list of a day ago, many small removals count together.
 */
export async function isWithinDay(
  lists: Pick<ListStore, "importAt" | "importChunks" | "readChunks">,
  { version, published }: StoredList,
  kept: readonly ListEntry[],
  now: Date,
): Promise<boolean> {
  const before = await lists.importAt(version.list, new Date(now.getTime() - dayMs));
  if (before === undefined) return false;
  const apart = unshared(await lists.importChunks(before.importId), published);
  const keptOf = Map.groupBy(kept, ({ uid }) => uid);
  const gone = new Set<string>();
  for (const bucket of new Set(apart.before.map(bucketNumber))) {
    const read = async (ids: readonly string[]) => {
      const inBucket = ids.filter((id) => bucketNumber(id) === bucket);
      return (await lists.readChunks(inBucket)).flatMap(chunkLines).map(lineEntry);
    };
    const then = await read(apart.before);
    // A form that was retained then may be covered by an entry of a chunk that both share.
    const left = Map.groupBy(await read(published), ({ uid }) => uid);
    await nextTurn();
    for (const [uid, forms] of keptOf) left.set(uid, [...(left.get(uid) ?? []), ...forms]);
    for (const { uid } of retainedForms(then, left)) gone.add(uid);
  }
  return isDailyRemoval(gone.size, before.entries);
}
