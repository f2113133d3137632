import type { Database } from "@disburse/chassis/mongo/database.ts";
import { groupedDb } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { type Db, MongoServerError } from "mongodb";
import { aggregated } from "./aggregation.ts";
import { type Access, type Command, MemoryCollection } from "./collection.ts";
import { databaseName, memoryBulkWrite } from "./memory-bulk-write.ts";
import { Table } from "./table.ts";
import { copied, type Document } from "./value.ts";

/** Hears of every write of every collection. */
export type WriteListener = (
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
) => void;

/** A database in memory: what outlives every process of a simulation. */
export type MemoryDatabase = ReturnType<typeof createMemoryDatabase>;

/** An empty database with a clock of its own. */
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
    /** The database as one process reaches it, by its own way there and back. */
    connect: (access: Access): Database => {
      const db = {
        databaseName,
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
        // Stores are written against the driver's type; what else they call fails by name.
        db: groupedDb(db as unknown as Db, memoryBulkWrite(tableOf, access), () => undefined),
        bulkInsert: (rows) => {
          let isStopped = false;
          // What is sent is what it was at that moment.
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
    /** All documents of a collection, which no caller may change: for checks, past every fault. */
    documents: (collection: string): readonly Document[] => tableOf(collection).select({}),
    collections: (): readonly string[] => [...tables.keys()],
    /** How many documents were written so far. */
    changes: () => changes,
  };
}

/** Whether there was none of its keys. */
function isInserted(table: Table, document: object): boolean {
  try {
    table.insert(document as Document);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}

/** Every command at once and without a fault. */
export const directAccess: Access = async (command, steps, answer) => {
  for (const step of steps) step((step.command ?? command).filter ?? {});
  return answer();
};
