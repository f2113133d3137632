import {
  BSON,
  type BulkWriteResult,
  type IndexDescription,
  MongoBulkWriteError,
  type MongoServerError,
  type WriteError,
} from "mongodb";
import { aggregated, projected, type Sort } from "./aggregation.ts";
import type { Rows } from "./rows.ts";
import type { Table, UpdateOptions } from "./table.ts";
import { replacing } from "./update.ts";
import { copied, type Document } from "./value.ts";

/** One command to a collection. Each of its steps is atomic. */
export type Command = {
  readonly collection: string;
  readonly name: string;
  readonly isWrite: boolean;
  /** Succeeds only on a primary that a majority follows. */
  readonly isLinearizable?: boolean;
  /** An ordered command stops at the first step that fails. */
  readonly isOrdered?: boolean;
  /** The driver's API for several writes. It determines the error of an unconfirmed write. */
  readonly bulk?: "collection" | "client";
  /** The driver repeats reads, and writes of single documents. */
  readonly isRepeatable: boolean;
  /**
   * The filter, which a simulation may change to remove a protection. Undefined for an insert; a
   * simulation changes the inserted document instead.
   */
  readonly filter: Document | undefined;
  readonly sent: readonly unknown[];
};

/** The result of one step. */
export type Outcome = { readonly value: unknown } | { readonly error: MongoServerError };

/**
 * A step of a command. In a bulk write over several collections, each step is a command of its own.
 */
export type Step = {
  /** Writes to the tables of a primary. */
  readonly run: (tables: (name: string) => Table, filter: Document) => unknown;
  readonly command?: Command;
};

/** Makes the answer from the outcomes of the steps, or from the documents that a read sees. */
export type Answer<T> = (outcomes: readonly Outcome[], rows: (name: string) => Rows) => T;

/**
 * Delivers a command and its answer. In tests of the store it delivers immediately; in a simulation
 * late, partially or never. Runs `steps` in order, then returns the result of `answer`.
 */
export type Access = <T>(command: Command, steps: readonly Step[], answer: Answer<T>) => Promise<T>;

type FindOptions = {
  projection?: Document;
  sort?: Sort;
  skip?: number;
  limit?: number;
  raw?: boolean;
};
type AfterOptions = UpdateOptions & { returnDocument?: "after" | "before"; projection?: Document };
type Update = Document | readonly Document[];
/** The methods of the driver's cursor that our stores call. */
type Cursor = {
  sort(sort: Sort): Cursor;
  skip(count: number): Cursor;
  limit(limit: number): Cursor;
  project(projection: Document): Cursor;
  toArray(): Promise<Document[]>;
  [Symbol.asyncIterator](): AsyncGenerator<Document>;
};
type BulkOptions = { readonly ordered?: boolean };
type Bulk = {
  readonly sent: readonly unknown[];
  readonly writes: readonly ((table: Table) => Changed)[];
  readonly isOrdered: boolean;
  readonly isRepeatable: boolean;
};
/** The numbers of documents that a write matched and modified. */
type Changed = { readonly matched: number; readonly modified: number };
type BulkOperation = Readonly<Record<string, Document & { filter: Document; update: Update }>>;

/** Returns documents, or raw bytes for a caller that parses them. */
function asSent(documents: Document[], raw: boolean): Document[] {
  return raw ? documents.map((each) => BSON.serialize(each) as unknown as Document) : documents;
}

/** Implements the `Collection` methods that our stores call, in memory. */
export class MemoryCollection {
  private readonly name: string;
  private readonly access: Access;
  private readonly now: () => Date;

  constructor(name: string, access: Access, now: () => Date) {
    this.name = name;
    this.access = access;
    this.now = now;
  }

  async createIndexes(descriptions: readonly IndexDescription[]): Promise<void> {
    await this.write("createIndexes", {}, [], (table) => {
      for (const each of descriptions) table.addIndex(each);
    });
  }

  /** Reads all documents when the first one is requested, as a driver does with its first batch. */
  find(filter: Document = {}, options: FindOptions = {}): Cursor {
    assertOfClient(options);
    const { projection, sort, skip = 0, limit = 0, raw = false } = options;
    const toArray = () =>
      this.read("find", filter, (rows) => {
        const found = rows.select(filter, sort).slice(skip);
        const shown = limit === 0 ? found : found.slice(0, limit);
        return asSent(
          shown.map((each) => projected(each, projection)),
          raw,
        );
      });
    const again = (more: FindOptions) => this.find(filter, { ...options, ...more });
    return {
      sort: (order) => again({ sort: order }),
      skip: (count) => again({ skip: count }),
      limit: (count) => again({ limit: count }),
      project: (fields) => again({ projection: fields }),
      toArray,
      async *[Symbol.asyncIterator]() {
        yield* await toArray();
      },
    };
  }

  async findOne(filter: Document, options: FindOptions = {}): Promise<Document | null> {
    assertOfClient(options);
    const found = await this.read("findOne", filter, (rows) => {
      const [first] = rows.select(filter, options.sort);
      return first && projected(first, options.projection);
    });
    return found ?? null;
  }

  countDocuments(filter: Document = {}, options: FindOptions = {}): Promise<number> {
    assertOfClient(options);
    const { limit = 0 } = options;
    return this.read("countDocuments", filter, (rows) => {
      const count = rows.select(filter).length;
      return limit === 0 ? count : Math.min(count, limit);
    });
  }

  aggregate(pipeline: readonly Document[], options: FindOptions = {}) {
    assertOfClient(options);
    const { raw = false } = options;
    const read = (rows: Rows) => asSent(aggregated(rows.select({}), pipeline, this.now()), raw);
    const matched = (pipeline[0]?.$match ?? {}) as Document;
    return { toArray: () => this.read("aggregate", matched, read, pipeline) };
  }

  async insertOne(document: Document) {
    const sent = copied(document) as Document;
    await this.write("insertOne", undefined, [sent], (table) => table.insert(sent));
    return { acknowledged: true, insertedId: document._id };
  }

  insertMany(documents: readonly Document[], options: BulkOptions = {}) {
    assertOfClient(options);
    const { ordered = true } = options;
    const sent = documents.map((each) => copied(each) as Document);
    const writes = sent.map((document) => (table: Table) => {
      table.insert(document);
      return { matched: 0, modified: 0 };
    });
    const bulk = { sent, writes, isOrdered: ordered, isRepeatable: true };
    return this.bulk("insertMany", bulk, () => ({
      acknowledged: true,
      insertedCount: documents.length,
    }));
  }

  updateOne(filter: Document, update: Update, options: UpdateOptions = {}) {
    return this.changeOne("updateOne", filter, update, options);
  }

  async updateMany(filter: Document, update: Update) {
    const change = (table: Table, sent: Document) => updatedMany(table, sent, update);
    const { matched, modified } = await this.write("updateMany", filter, [filter, update], change);
    return { acknowledged: true, matchedCount: matched, modifiedCount: modified };
  }

  async findOneAndUpdate(filter: Document, update: Update, options: AfterOptions = {}) {
    assertOfClient(options);
    const { returnDocument = "before", projection } = options;
    const created = await this.write(
      "findOneAndUpdate",
      filter,
      [filter, update],
      (table, sent) => {
        const changed = table.update(sent, update, options);
        const shown = returnDocument === "after" ? changed.after : changed.before;
        return shown && projected(shown, projection);
      },
    );
    return created ?? null;
  }

  replaceOne(filter: Document, replacement: Document, options: UpdateOptions = {}) {
    return this.changeOne("replaceOne", filter, replacing(replacement), options);
  }

  deleteOne(filter: Document) {
    return this.delete("deleteOne", filter, 1);
  }

  deleteMany(filter: Document) {
    return this.delete("deleteMany", filter);
  }

  bulkWrite(operations: readonly BulkOperation[], options: BulkOptions = {}) {
    assertOfClient(options);
    const { ordered = true } = options;
    const writes = operations.map((operation) => (table: Table) => {
      const [[kind = "", sent] = []] = Object.entries(operation);
      if (kind === "updateMany" && sent !== undefined) {
        return updatedMany(table, sent.filter, sent.update);
      }
      if (kind !== "updateOne" || sent === undefined) {
        throw new Error(`the simulated store does not support ${kind} in a bulk write`);
      }
      const created = table.update(sent.filter, sent.update, sent as UpdateOptions);
      return {
        matched: Number(created.before !== undefined),
        modified: Number(created.isModified),
      };
    });
    const isRepeatable = operations.every((each) => "updateOne" in each);
    const bulk = { sent: operations, writes, isOrdered: ordered, isRepeatable };
    return this.bulk("bulkWrite", bulk, (changes) => ({
      acknowledged: true,
      matchedCount: changes.reduce((sum, { matched }) => sum + matched, 0),
      modifiedCount: changes.reduce((sum, { modified }) => sum + modified, 0),
    }));
  }

  private async changeOne(name: string, filter: Document, update: Update, options: UpdateOptions) {
    assertOfClient(options);
    const change = (table: Table, sent: Document) => table.update(sent, update, options);
    const { before, after, isModified } = await this.write(name, filter, [filter, update], change);
    const isFound = before !== undefined;
    return {
      acknowledged: true,
      matchedCount: Number(isFound),
      modifiedCount: Number(isFound && isModified),
      upsertedCount: Number(!isFound && after !== undefined),
    };
  }

  private async delete(name: string, filter: Document, countMax = Number.POSITIVE_INFINITY) {
    const deletedCount = await this.write(name, filter, [filter], (table, sent) => {
      const found = table.select(sent).slice(0, countMax);
      for (const each of found) table.delete(each);
      return found.length;
    });
    return { acknowledged: true, deletedCount };
  }

  private read<T>(
    name: string,
    filter: Document,
    read: (rows: Rows) => T,
    sent: readonly unknown[] = [filter],
  ): Promise<T> {
    const command = {
      collection: this.name,
      name,
      isWrite: false,
      isRepeatable: true,
      filter,
      sent,
    };
    return this.access(command, [], (_outcomes, rows) => read(rows(this.name)));
  }

  private write<T>(
    name: string,
    filter: Document | undefined,
    sent: readonly unknown[],
    write: (table: Table, filter: Document) => T,
  ): Promise<T> {
    const isRepeatable = !neverRepeated.has(name);
    const command = { collection: this.name, name, isWrite: true, isRepeatable, filter, sent };
    const run: Step["run"] = (tables, taken) => write(tables(this.name), taken);
    return this.access(command, [{ run }], ([outcome]) => {
      if (outcome !== undefined && "error" in outcome) throw outcome.error;
      return outcome?.value as T;
    });
  }

  /** Runs independent writes. An unordered bulk write continues after a failure. */
  private bulk<T>(
    name: string,
    { sent, writes, isOrdered, isRepeatable }: Bulk,
    result: (changes: readonly Changed[]) => T,
  ): Promise<T> {
    const command: Command = {
      collection: this.name,
      name,
      isWrite: true,
      isOrdered,
      isRepeatable,
      bulk: "collection",
      filter: undefined,
      sent,
    };
    const steps = writes.map((write): Step => ({ run: (tables) => write(tables(this.name)) }));
    return this.access(command, steps, (outcomes) => {
      const failed = outcomes.flatMap((outcome, index) => {
        if (!("error" in outcome)) return [];
        const { message: errmsg, code } = outcome.error;
        return { index, code: Number(code), errmsg } as WriteError;
      });
      const [first] = failed;
      if (first === undefined) {
        return result(outcomes.map((each) => (each as { value: unknown }).value as Changed));
      }
      const summary = { message: first.errmsg ?? "", code: first.code, writeErrors: failed };
      throw new MongoBulkWriteError(summary, { insertedCount: 0 } as BulkWriteResult);
    });
  }
}

/** All commands have the guarantees of their client. Others would go unnoticed here. */
function assertOfClient(options: object): void {
  for (const name of ["writeConcern", "readConcern", "readPreference"]) {
    if (name in options) throw new Error(`the simulated store knows no ${name} of one command`);
  }
}

/** The driver never repeats these commands. */
const neverRepeated = new Set(["createIndexes", "updateMany", "deleteMany"]);

/** Selects the documents first, then updates each of them separately. */
function updatedMany(table: Table, filter: Document, update: Update): Changed {
  const found = table.select(filter);
  const modified = found.filter((each) => table.updateSelected(each, update).isModified).length;
  return { matched: found.length, modified };
}
