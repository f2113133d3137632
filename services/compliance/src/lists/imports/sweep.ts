import type { ChunkDocument, ImportDocument } from "../documents.ts";
import { failImport, isPast, isSilent, type ListCollections, settleImport } from "./steps.ts";

/**
 * Chunks of a failed import stay so long: another import that found them there needs them, and
 * says so in its own document before it looks (`stageImport`).
 */
const orphansKeptMs = 3_600_000;

/** Finishes what a crash left half done, and removes the chunks of what never came into force. */
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
 * Removes the chunks that only a failed import has. One that an import takes up just now is either
 * named by that import already, or will be touched by it after this, or written again.
 */
async function sweepChunks(at: ListCollections, failed: ImportDocument, now: Date): Promise<void> {
  const needed = await neededChunks(at, failed);
  const orphans = failed.chunks.filter((id) => !needed.has(id));
  if (orphans.length > 0) {
    const untouched = { $lt: new Date(now.getTime() - orphansKeptMs) };
    await at.chunks.deleteMany({ _id: { $in: orphans }, touched_at: untouched });
  }
  await at.imports.updateOne({ _id: failed._id }, { $set: { swept: true } });
}

/** Of the chunks of a failed import those that another one of its list is made of. */
async function neededChunks(
  at: ListCollections,
  failed: ImportDocument,
): Promise<ReadonlySet<ChunkDocument["_id"]>> {
  const kept = { $in: ["reading", "committing", "in_force", "superseded"] as const };
  const others = await at.imports
    .find({ list: failed.list, state: kept, chunks: { $in: [...failed.chunks] } })
    .project<Pick<ImportDocument, "chunks">>({ chunks: 1 })
    .toArray();
  return new Set(others.flatMap(({ chunks }) => chunks));
}
