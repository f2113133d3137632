import type { Database } from "@disburse/chassis/mongo/database.ts";
import { MongoError, MongoNetworkError } from "mongodb";
import type { ProcessInstance } from "../scheduler/host.ts";
import { settlement } from "../scheduler/scheduler.ts";
import type { Command } from "../store/collection.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";

/** How long a hop takes, in milliseconds. */
const hopMs = 3;
/** A server or a network that is slow for a moment. */
const slowMs = 9_000;

/** Renewed all the time: crashes and lost answers are better spent on what moves money. */
const sweepLeases = "leases";

/** Changes the filter of a command, or fields of an insert: how a test removes a guard. */
export type Sabotage = (command: Command) => Document | undefined;

/**
 * A process's way to its database. A command can be lost, its answer can be lost after it was done,
 * a bulk can be done in part, and the process can end before or after; what a dead process had sent
 * still arrives, or not.
 */
export function databaseLink(
  instance: ProcessInstance,
  database: MemoryDatabase,
  sabotage: Sabotage = ({ filter }) => filter,
): Database {
  const { scheduler } = instance;
  const { faults, random } = scheduler;
  const delayMs = () =>
    faults.happens("database: slow", 0.002) ? random.below(slowMs) : random.fraction() * hopMs;

  return database.connect(
    (command, steps, answer) =>
      new Promise((resolve, reject) => {
        const label = `${command.collection}.${command.name}`;
        const fail = () => {
          const run = () => reject(new MongoNetworkError("connection lost"));
          scheduler.after(delayMs(), { label: `${label} failed`, owner: instance, run });
        };
        const finish = () => {
          // Anything else is a query that the simulated store does not know.
          const isAnswer = (error: unknown) => error instanceof MongoError;
          const settle = settlement(answer, resolve, reject, isAnswer);
          scheduler.after(delayMs(), { label: `${label} answered`, owner: instance, run: settle });
        };
        const arrive = () => {
          if (instance.isDead() && random.chance(0.5)) return;
          if (faults.happens("database: request lost", 0.004)) return fail();
          if (command.isWrite && faults.happens("crash before a write", 0.003)) {
            return instance.end(`crash before ${label}`);
          }
          const isTorn = steps.length > 1 && faults.happens("database: bulk torn", 0.02);
          const made = isTorn ? steps.slice(0, random.below(steps.length)) : steps;
          const changes = database.changes();
          for (const step of made) step(sabotage(step.command ?? command) ?? {});
          const isChanged = database.changes() > changes && command.collection !== sweepLeases;
          if (isChanged && faults.happens("crash after a write", 0.02)) {
            return instance.end(`crash after ${label}`);
          }
          const lost = isChanged ? 0.02 : 0.002;
          if (isTorn || faults.happens("database: answer lost", lost)) return fail();
          finish();
        };
        scheduler.after(delayMs(), { label: `${instance.name} → ${label}`, run: arrive });
      }),
  );
}
