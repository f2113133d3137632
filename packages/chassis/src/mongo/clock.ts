import { uptime } from "node:os";
import { type Clock, steadyClock } from "@disburse/kernel/time.ts";
import type { Database } from "./database.ts";

/** A query that returns the database's time without reading a collection. */
const readNow = [{ $documents: [{}] }, { $set: { now: "$$NOW" } }];

/**
 * Returns a clock with the database's time, which is read once and then advanced by a monotonic
 * clock. All processes of a service therefore agree, whatever their own wall clocks show. The error
 * is at most the duration of the read. If the database host's clock changes later, only processes
 * that start afterwards use the new time.
 */
export async function databaseClock(
  { db }: Pick<Database, "db">,
  elapsed: () => number = elapsedWithSleep(),
): Promise<Clock> {
  const askedMs = elapsed();
  const [read] = await db.aggregate<{ now: Date }>(readNow).toArray();
  if (read === undefined) throw new Error("the database did not return its current time");
  const halfWayMs = (elapsed() - askedMs) / 2;
  return steadyClock(new Date(read.now.getTime() + halfWayMs), elapsed);
}

/** The interval between two reads of the uptime, which cost more than reading a clock. */
const checkEveryMs = 1_000;
const sleepMinMs = 1_000;

/**
 * Returns monotonic milliseconds that include the time for which the machine slept. That time is
 * added within a second after waking.
 */
export function elapsedWithSleep(
  running: () => number = () => performance.now(),
  upMs: () => number = () => uptime() * 1_000,
): () => number {
  let checkedAt = running();
  let asleepMs = 0;
  const beforeMs = upMs() - checkedAt;
  return () => {
    const now = running();
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now;
      const missingMs = upMs() - beforeMs - asleepMs - now;
      if (missingMs >= sleepMinMs) asleepMs += missingMs;
    }
    return now + asleepMs;
  };
}
