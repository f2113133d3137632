import { uptime } from "node:os";
import { type Clock, steadyClock } from "@disburse/kernel/time.ts";
import type { Database } from "./database.ts";

/** One document of no collection. */
const readNow = [{ $documents: [{}] }, { $set: { now: "$$NOW" } }];

/**
 * The database's time, read once and counted on by this process: the same for all processes of a
 * service, one that starts again included, whatever their own clocks say or are set to. Off by no
 * more than the reading took. It stays what it was when the clock of the database's host is set;
 * who reads it later has the new time.
 */
export async function databaseClock(
  { db }: Pick<Database, "db">,
  elapsed: () => number = elapsedWithSleep(),
): Promise<Clock> {
  const askedMs = elapsed();
  const [read] = await db.aggregate<{ now: Date }>(readNow).toArray();
  if (read === undefined) throw new Error("the database does not tell its time");
  const halfWayMs = (elapsed() - askedMs) / 2;
  return steadyClock(new Date(read.now.getTime() + halfWayMs), elapsed);
}

/** Reading how long the machine is up costs more than a time does. */
const lookEveryMs = 1_000;
/** Less is how coarsely it is told. */
const sleepMinMs = 1_000;

/**
 * Milliseconds since some moment, by clocks that nobody sets. Those of `running` stand still while
 * the machine sleeps; what it slept is added, within a second, from how long it is up.
 */
export function elapsedWithSleep(
  running: () => number = () => performance.now(),
  upMs: () => number = () => uptime() * 1_000,
): () => number {
  let lookedAt = running();
  let asleepMs = 0;
  const beforeMs = upMs() - lookedAt;
  return () => {
    const now = running();
    if (now - lookedAt >= lookEveryMs) {
      lookedAt = now;
      const missingMs = upMs() - beforeMs - asleepMs - now;
      if (missingMs >= sleepMinMs) asleepMs += missingMs;
    }
    return now + asleepMs;
  };
}
