import type { Database } from "@disburse/chassis/mongo/database.ts";
import { MongoError, MongoNetworkError } from "mongodb";
import type { ProcessInstance } from "../scheduler/host.ts";
import { settlement } from "../scheduler/scheduler.ts";
import type { Command } from "../store/collection.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";

const hopMs = 3;
const slowMs = 9_000;

/**
 * Excluded from faults, because leases are renewed constantly. Crashes and lost answers should
 * affect the writes that move money.
 */
const sweepLeases = "leases";

/**
 * Changes the filter of a command, or the fields of an insert, to remove a protection that the code
 * relies on.
 */
export type Sabotage = (command: Command) => Document | undefined;

/**
 * Connects a process to its database. A command or its answer can be lost, and a bulk write can be
 * partial. The process can end before or after a command. A command that was sent before the
 * process ended may still arrive.
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
          // Any other error means that the simulated store doesn't support the query.
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
          const created = isTorn ? steps.slice(0, random.below(steps.length)) : steps;
          const changes = database.changes();
          for (const step of created) step(sabotage(step.command ?? command) ?? {});
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
