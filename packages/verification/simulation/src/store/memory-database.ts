import { clientGuarantees, type Database } from "@disburse/chassis/mongo/database.ts";
import { groupedDb } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import type { Db } from "mongodb";
import { aggregated } from "./aggregation.ts";
import { type Access, type Command, MemoryCollection, type Step } from "./collection.ts";
import { databaseName, memoryBulkWrite } from "./memory-bulk-write.ts";
import type { OnCommit, Primary, ReadFrom } from "./primary.ts";
import { createReplicaSet } from "./replica-set.ts";
import { copied, type Document } from "./value.ts";

/** The options of the services' clients, which a test weakens. */
export type Guarantees = {
  readonly writeConcern: { readonly w: "majority" | 1 };
  readonly readConcern: { readonly level: "majority" | "local" };
  readonly readPreference: "primary" | "secondary";
};

/** An in-memory database, which outlives every process of a simulation. */
export type MemoryDatabase = ReturnType<typeof createMemoryDatabase>;

/** Calls `onCommit` for each write that a majority has, in order. Such a write is never lost. */
export function createMemoryDatabase(
  now: () => Date,
  onCommit: OnCommit = () => undefined,
  { writeConcern, readConcern, readPreference }: Guarantees = clientGuarantees,
) {
  let changes = 0;
  const onWrite = () => {
    changes += 1;
  };
  const set = createReplicaSet({ now, onWrite, onCommit });
  const readFrom = readFromOf({ readConcern, readPreference });
  /** Returns the documents that a process's read sees. */
  const rowsOf = (primary: Primary) => (name: string) => primary.rows(readFrom, name);
  /** Runs every command immediately and without faults. */
  const direct: Access = async (command, steps, answer) => {
    const primary = set.primary();
    primary.commitAll();
    const filterOf = ({ command: own = command }) => own.filter ?? {};
    const isOrdered = command.isOrdered === true;
    const execution = primary.run({ isOrdered, steps, filterOf, lagMs: 0 });
    return answer(execution.outcomes, rowsOf(primary));
  };
  return {
    /** Returns a process's connection. It delivers commands through `access`. */
    connect: (access: Access): Database => {
      const db = {
        databaseName,
        /** Answers `hello` as a standalone server does. */
        command: async () => ({}),
        collection: (name: string) => new MemoryCollection(name, access, now),
        aggregate: (pipeline: readonly Document[]) => ({
          toArray: () => {
            const command: Command = {
              collection: "",
              name: "aggregate",
              isWrite: false,
              isRepeatable: true,
              filter: {},
              sent: pipeline,
            };
            return access(command, [], () => aggregated([], pipeline, now()));
          },
        }),
      };
      return {
        // Our stores expect the driver's type. A method that isn't implemented fails with its name.
        db: groupedDb(db as unknown as Db, memoryBulkWrite(access), () => undefined),
        isBulk: true,
        bulkInsert: (rows) => {
          // Copies the values, so that later changes don't affect what was sent.
          const sent = copied(rows) as typeof rows;
          const steps = sent.flatMap(({ collection, documents }) =>
            documents.map((document): Step => {
              return { run: (tables) => tables(collection).insert(document) };
            }),
          );
          const command: Command = {
            collection: rows.map((each) => each.collection).join("+"),
            name: "bulkInsert",
            isWrite: true,
            isOrdered: true,
            isRepeatable: true,
            bulk: "client",
            filter: undefined,
            sent,
          };
          return access(command, steps, (outcomes) => outcomes.every((each) => "value" in each));
        },
        ready: () => Promise.resolve(true),
        watchPrimary: () => async () => undefined,
        close: () => Promise.resolve(),
      };
    },
    direct,
    set,
    rowsOf,
    needsMajority: writeConcern.w === "majority",
    /**
     * Returns a collection's documents for checks: those that a majority has. Callers must not
     * change them.
     */
    documents: (collection: string): readonly Document[] =>
      set.primary().rows("majority", collection).select({}),
    collections: (): readonly string[] => set.primary().collections(),
    changes: () => changes,
  };
}

function readFromOf({ readConcern, readPreference }: Omit<Guarantees, "writeConcern">): ReadFrom {
  if (readPreference !== "primary") return "secondary";
  return readConcern.level === "majority" ? "majority" : "primary";
}
