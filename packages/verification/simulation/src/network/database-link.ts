import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { MongoError } from "mongodb";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Command } from "../store/collection.ts";
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
};

/** Connects a process to its database through its driver. */
export function databaseLink(
  instance: ProcessInstance,
  database: MemoryDatabase,
  { sabotage = ({ filter }) => filter, unknownOutcome = (_command, error) => error }: LinkDefects,
): Database {
  return database.connect(
    (command, steps, answer) =>
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
      }),
  );
}
