import { uptime } from "node:os";
import { type Clock, steadyClock } from "@disburse/kernel/time.ts";
import type { Database } from "./database.ts";

/** Reads the time without a collection. */
const readNow = [{ $documents: [{}] }, { $set: { now: "$$NOW" } }];

/**
 * The database's time, read once and advanced by a monotonic clock: the same for all processes of a
 * service, whatever their own wall clocks show. The error is at most the time of the read. A later
 * change of the database host's clock reaches only processes that start after it.
 */
export async function databaseClock(
  { db }: Pick<Database, "db">,
  elapsed: () => number = elapsedWithSleep(),
): Promise<Clock> {
  const askedMs = elapsed();
  const [read] = await db.aggregate<{ now: Date }>(readNow).toArray();
  if (read === undefined) throw new Error("the database returned no time");
  const halfWayMs = (elapsed() - askedMs) / 2;
  return steadyClock(new Date(read.now.getTime() + halfWayMs), elapsed);
}

/** Reading the uptime costs more than reading a clock. */
const checkEveryMs = 1_000;
const sleepMinMs = 1_000;

/** Monotonic milliseconds that include the machine's sleep, which is added within a second. */
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
