import type { Database } from "@disburse/chassis/mongo/database.ts";
import { MongoError, MongoNetworkError } from "mongodb";
import type { Life } from "./life.ts";
import type { Access, Command } from "./store/collection.ts";
import type { MemoryDatabase } from "./store/memory-database.ts";
import type { Document } from "./store/value.ts";

/** How long a hop takes, in milliseconds. */
const hopMs = 3;
/** A server or a network that is slow for a moment. */
const slowMs = 9_000;

/** Renewed all the time: crashes and lost answers are better spent on what moves money. */
const sweepLeases = "leases";

/** Changes what a command asks for: how a test takes a guard away. */
export type Sabotage = (command: Command) => Document | undefined;

/**
 * A process's way to its database. A command can be lost, its answer can be lost after it was done,
 * a bulk can be done in part, and the process can end before or after; what a dead process had sent
 * still arrives, or not.
 */
export function databaseLink(
  life: Life,
  database: MemoryDatabase,
  sabotage: Sabotage = ({ filter }) => filter,
): Database {
  return database.connect(linkTo(life, database, sabotage));
}

function linkTo(life: Life, database: MemoryDatabase, sabotage: Sabotage): Access {
  const { world } = life;
  const { faults, random } = world;
  const delayMs = () =>
    faults.happens("database: slow", 0.002) ? random.below(slowMs) : random.fraction() * hopMs;

  return (command, steps, answer) =>
    new Promise((resolve, reject) => {
      const label = `${command.collection}.${command.name}`;
      const fail = () => {
        const run = () => reject(new MongoNetworkError("connection lost"));
        world.after(delayMs(), { label: `${label} failed`, owner: life, run });
      };
      const finish = () => {
        const settle = settlement(answer, resolve, reject);
        world.after(delayMs(), { label: `${label} answered`, owner: life, run: settle });
      };
      const arrive = () => {
        if (life.isDead() && random.chance(0.5)) return;
        if (faults.happens("database: request lost", 0.004)) return fail();
        if (command.isWrite && faults.happens("crash before a write", 0.003)) {
          return life.end(`crash before ${label}`);
        }
        const filter = sabotage(command) ?? {};
        const isTorn = steps.length > 1 && faults.happens("database: bulk torn", 0.02);
        const made = isTorn ? steps.slice(0, random.below(steps.length)) : steps;
        const changes = database.changes();
        for (const step of made) step(filter);
        const isChanged = database.changes() > changes && command.collection !== sweepLeases;
        if (isChanged && faults.happens("crash after a write", 0.02)) {
          return life.end(`crash after ${label}`);
        }
        const lost = isChanged ? 0.02 : 0.002;
        if (isTorn || faults.happens("database: answer lost", lost)) return fail();
        finish();
      };
      world.after(delayMs(), { label: `${life.name} → ${label}`, run: arrive });
    });
}

/** The answer as it is now, to be given later. */
function settlement<T>(
  answer: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const value = answer();
    return () => resolve(value);
  } catch (error) {
    // Anything else is a query that the simulated store does not know.
    if (!(error instanceof MongoError)) throw error;
    return () => reject(error);
  }
}
