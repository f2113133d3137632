import type { Database } from "@disburse/chassis/mongo/database.ts";
import { groupedDb } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { type Db, MongoServerError } from "mongodb";
import { aggregated } from "./aggregation.ts";
import { type Access, type Command, MemoryCollection } from "./collection.ts";
import { databaseName, memoryBulkWrite } from "./memory-bulk-write.ts";
import { Table } from "./table.ts";
import { copied, type Document } from "./value.ts";

export type WriteListener = (
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
) => void;

/** An in-memory database, which outlives every process of a simulation. */
export type MemoryDatabase = ReturnType<typeof createMemoryDatabase>;

export function createMemoryDatabase(now: () => Date, onWrite: WriteListener = () => undefined) {
  const tables = new Map<string, Table>();
  let changes = 0;
  const tableOf = (name: string): Table => {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const table = new Table(name, now, (before, after) => {
      changes += 1;
      onWrite(name, before, after);
    });
    tables.set(name, table);
    return table;
  };
  return {
    /** Returns a process's connection. It delivers commands through `access`. */
    connect: (access: Access): Database => {
      const db = {
        databaseName,
        /** Answers `hello` as a standalone server does. */
        command: async () => ({}),
        collection: (name: string) => new MemoryCollection(tableOf(name), access),
        aggregate: (pipeline: readonly Document[]) => ({
          toArray: () => {
            const command = {
              collection: "",
              name: "aggregate",
              isWrite: false,
              filter: {},
              sent: pipeline,
            };
            return access(command, [], () => aggregated([], pipeline, now()));
          },
        }),
      };
      return {
        // Our stores expect the driver's type. A method that isn't implemented fails with its name.
        db: groupedDb(db as unknown as Db, memoryBulkWrite(tableOf, access), () => undefined),
        isBulk: true,
        bulkInsert: (rows) => {
          let isStopped = false;
          // Copies the values, so that later changes don't affect what was sent.
          const sent = copied(rows) as typeof rows;
          const steps = sent.flatMap(({ collection, documents }) =>
            documents.map((document) => () => {
              isStopped ||= !isInserted(tableOf(collection), document);
            }),
          );
          const collection = rows.map((each) => each.collection).join("+");
          const command: Command = {
            collection,
            name: "bulkInsert",
            isWrite: true,
            filter: undefined,
            sent,
          };
          return access(command, steps, () => !isStopped);
        },
        ready: () => Promise.resolve(true),
        close: () => Promise.resolve(),
      };
    },
    /**
     * Returns a collection's documents for checks, without faults. Callers must not change the
     * documents.
     */
    documents: (collection: string): readonly Document[] => tableOf(collection).select({}),
    collections: (): readonly string[] => [...tables.keys()],
    changes: () => changes,
  };
}

/** Returns true if all of the document's keys were free. */
function isInserted(table: Table, document: object): boolean {
  try {
    table.insert(document as Document);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}

/** Runs every command immediately and without faults. */
export const directAccess: Access = async (command, steps, answer) => {
  for (const step of steps) step((step.command ?? command).filter ?? {});
  return answer();
};
