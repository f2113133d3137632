import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type MongoError, MongoNetworkError } from "mongodb";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Access, Command } from "../store/collection.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";
import { deliver } from "./delivery.ts";

/**
 * Changes the filter of a command, or the fields of an insert, to remove a protection that the code
 * relies on.
 */
export type Sabotage = (command: Command) => Document | undefined;

/** Changes the error of a command whose outcome is unknown. */
export type ChangeError = (command: Command, error: MongoError) => MongoError;

export type LinkDefects = {
  readonly sabotage?: Sabotage | undefined;
  readonly unknownOutcome?: ChangeError | undefined;
  /** Makes every primary count as the current one. */
  readonly provesNothing?: boolean | undefined;
};

/** Connects a process to its database through its driver. */
export function databaseLink(
  instance: ProcessInstance,
  database: MemoryDatabase,
  {
    sabotage = ({ filter }) => filter,
    unknownOutcome = (_command, error) => error,
    provesNothing = false,
  }: LinkDefects,
): Database {
  const access: Access = (command, steps, answer) =>
    new Promise((resolve, reject) => {
      deliver(instance, database, {
        command,
        steps,
        answer,
        filterOf: (step) => sabotage(step.command ?? command) ?? {},
        resolve,
        reject,
        fail: (error) => reject(unknownOutcome(command, error)),
      });
    });
  const connected = database.connect(access);
  if (provesNothing) return connected;
  return {
    ...connected,
    watchPrimary: () => {
      const before = database.set.primaryOf(instance);
      return async () => {
        await access(linearizableRead, [], () => undefined);
        if (before === undefined || database.set.primaryOf(instance) !== before) {
          throw new MongoNetworkError("the primary may have changed");
        }
      };
    },
  };
}

const linearizableRead: Command = {
  collection: "migrations",
  name: "linearizable read",
  isWrite: false,
  isLinearizable: true,
  isRepeatable: true,
  filter: {},
  sent: [],
};
