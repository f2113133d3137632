import { createHash } from "node:crypto";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { ListEntry } from "./domain/list-entry.ts";
import { listFile } from "./formats/list-file.ts";
import type { ListVersion } from "./domain/list-version.ts";
import type { ImportRefused } from "./import-steps.ts";
import type { ImportDocument, ImportRequest } from "./list-documents.ts";
import type { ListStore } from "./list-store.ts";

/** Entries written by one command: some 400 KiB, well under the database's 48 MB. */
const batchSize = 1_000;

type Deps = { readonly lists: ListStore; readonly clock: Clock };

/**
 * Replaces a list: entries are written under a new import id while the old version stays in force,
 * then one write switches. A refusal or a failure on the way leaves the old version as it was.
 */
export async function importList(
  { lists, clock }: Deps,
  request: ImportRequest,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ListVersion | ImportRefused> {
  const started = await lists.begin(request, clock.now());
  if (isRefused(started)) return started;
  if ("repeated" in started) return repeated(started.repeated, pieces);
  try {
    const whole = await writeEntries(lists, started.begun, pieces, clock);
    if (!isRefused(whole)) return await lists.commit(started.begun, whole, clock.now());
    await lists.abandon(started.begun, clock.now());
    return whole;
  } catch (error) {
    // The cause is what the caller hears; what cannot be removed now is swept later.
    await lists.abandon(started.begun, clock.now()).catch(() => undefined);
    throw error;
  }
}

async function repeated(
  version: ListVersion,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ListVersion | ImportRefused> {
  const hash = createHash("sha256");
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest("hex") === version.checksum) return version;
  return refused("INVALID_REQUEST", "mutation.operation_id: was used for other lines");
}

async function writeEntries(
  lists: ListStore,
  begun: ImportDocument,
  pieces: AsyncIterable<Uint8Array>,
  clock: Clock,
): Promise<{ entries: number; checksum: string } | ImportRefused> {
  const file = listFile();
  const hash = createHash("sha256");
  let written = 0;
  let waiting: ListEntry[] = [];
  const writeWaiting = async (): Promise<undefined | ImportRefused> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      const problem = await lists.write(begun, batch, clock.now());
      if (problem !== undefined) return problem;
      waiting = waiting.slice(batchSize);
      written += batch.length;
    }
    return undefined;
  };
  for await (const piece of pieces) {
    hash.update(piece);
    const entries = file.push(piece);
    if (isRefused(entries)) return entries;
    waiting = waiting.concat(entries);
    const problem = waiting.length >= batchSize ? await writeWaiting() : undefined;
    if (problem !== undefined) return problem;
  }
  const last = file.end();
  if (isRefused(last)) return last;
  waiting = waiting.concat(last);
  const problem = await writeWaiting();
  return problem ?? { entries: written, checksum: hash.digest("hex") };
}
