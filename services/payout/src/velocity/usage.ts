import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { Collection } from "mongodb";
import { toUsage, type UsageDocument, usageDocument } from "./documents.ts";
import { type Usage, unused } from "./rules/usage.ts";

/**
 * A change of a usage, given the database's time. If it returns the same usage, nothing is written.
 */
type Change<T> = (usage: Usage, now: Date) => { readonly usage: Usage; readonly answer: T };

export type UsageStore = ReturnType<typeof openUsage>;

/** The maximum number of changes in one write. */
const batchMax = 100;
/** The maximum number of attempts to write a batch while other processes change the usage. */
const triesMax = 100;
/** The maximum random pause between attempts. It keeps two processes from colliding again. */
const pauseMaxMs = 10;
/** The maximum number of usages that one run of the sweep checks. */
const dueMax = 100;

type Waiting = {
  readonly change: Change<unknown>;
  readonly done: PromiseWithResolvers<unknown>;
};

/**
 * Opens the usages. Each usage is one document and is only written if it has not changed since it
 * was read. Concurrent executes therefore never exceed a limit together. Changes that arrive during
 * a write share the next write. `change` throws if it is unknown whether the change was stored.
 */
export function openUsage({ db }: Database) {
  const collection = db.collection<UsageDocument>("velocity_usage");
  const queues = new Map<string, Waiting[]>();

  const drain = async (id: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      try {
        const answers = await write(collection, id, batch);
        for (const [at, { done }] of batch.entries()) done.resolve(answers[at]);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    queues.delete(id);
  };

  return {
    /** Changes a usage in one atomic write. A usage without a document is empty. */
    change: <T>(id: string, change: Change<T>): Promise<T> => {
      const waiting = { change, done: Promise.withResolvers<unknown>() };
      const queue = queues.get(id);
      if (queue === undefined) {
        const fresh = [waiting];
        queues.set(id, fresh);
        drain(id, fresh).catch(reportRejection);
      } else {
        queue.push(waiting);
      }
      return waiting.done.promise as Promise<T>;
    },
    /** Reads several usages. Those without a document are empty. */
    readAll: async (ids: readonly string[]): Promise<Map<string, Usage>> => {
      const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(found.map((document) => [document._id, toUsage(document)]));
    },
    /**
     * Returns the usages that the sweep must check: those with a reservation to check, and those
     * whose payouts are all older than every window.
     */
    due: async (now: Date) => {
      const found = await collection
        .find({ due_at: { $lte: now } })
        .sort({ due_at: 1 })
        .limit(dueMax)
        .toArray();
      return found.map((document) => ({ id: document._id, ...toUsage(document) }));
    },
  };
}

/**
 * Applies a batch of changes in one write. Repeats the write while other processes change the
 * usage.
 */
async function write(
  collection: Collection<UsageDocument>,
  id: string,
  batch: readonly Waiting[],
): Promise<unknown[]> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await findWithTime(collection, id);
    const before = found === null ? unused : toUsage(found);
    let usage = before;
    const answers = batch.map(({ change }) => {
      // A usage without a document has no database time. The next attempt reads the time from the
      // placeholder.
      const made = change(usage, found?.now ?? new Date(0));
      usage = made.usage;
      return made.answer;
    });
    if (usage === before) return answers;
    if (found === null) await insertOnce(collection, emptyDocument(id));
    else if (await save(collection, found, usage)) return answers;
    else await pause(Math.random() * pauseMaxMs);
  }
  throw new Error("the usage of a velocity limit changed during every attempt to update it");
}

/**
 * Creates a placeholder document, from which the database's time can be read. The sweep removes
 * unused placeholders.
 */
function emptyDocument(_id: string): UsageDocument {
  const revision = crypto.randomUUID();
  return { _id, schema_version: 1, revision, reservations: [], sums: [], due_at: new Date(0) };
}

/** Writes the usage. Returns `false` if it has changed since it was read. */
async function save(
  collection: Collection<UsageDocument>,
  { _id, revision }: UsageDocument,
  usage: Usage,
): Promise<boolean> {
  const next = usageDocument(_id, usage);
  if (next === undefined) {
    return (await collection.deleteOne({ _id, revision })).deletedCount === 1;
  }
  const { _id: _, ...fields } = next;
  return (await collection.replaceOne({ _id, revision }, fields)).matchedCount === 1;
}
