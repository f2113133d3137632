import { isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";

/** Which operation a write belongs to, and who asked for it. */
export type Change = { readonly operationId: string; readonly actor: StoredActor };

/** Repeats come within minutes; so many changes of one corridor do not. */
export const operationsKept = 20;

/** The parts of an upsert that make a repeated operation change nothing. */
export function onceFor({ operationId, actor }: Change, now: Date) {
  return {
    filter: { operations: { $ne: operationId } },
    set: { actor, updated_at: now },
    push: { operations: { $each: [operationId], $slice: -operationsKept } },
    setOnInsert: { schema_version: 1, created_at: now },
  };
}

/**
 * Makes a document or changes the one that is there, once an operation. `write` is tried as an
 * upsert; a key that is there already means that the operation was made before, or that somebody
 * made the document meanwhile: then the change is still to be made to theirs.
 */
export async function upsertOnce(write: (upsert: boolean) => Promise<unknown>): Promise<void> {
  if ((await unlessMade(() => write(true))) === "was there") await write(false);
}

/** Runs a write; a key that was there already means that an earlier try had made it. */
export async function unlessMade(write: () => Promise<unknown>): Promise<"made" | "was there"> {
  try {
    await write();
    return "made";
  } catch (error) {
    if (isDuplicateKey(error)) return "was there";
    throw error;
  }
}
