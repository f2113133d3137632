import {
  BSON,
  type BulkWriteResult,
  type IndexDescription,
  MongoBulkWriteError,
  MongoServerError,
  type WriteError,
} from "mongodb";
import { aggregated, projected, type Sort } from "./aggregation.ts";
import type { Table, UpdateOptions } from "./table.ts";
import { replacing } from "./update.ts";
import { copied, type Document } from "./value.ts";

/** One command to a collection. Each of its steps is atomic. */
export type Command = {
  readonly collection: string;
  readonly name: string;
  readonly isWrite: boolean;
  /**
   * The filter, which a simulation may change to remove a protection. Undefined for an insert; a
   * simulation changes the inserted document instead.
   */
  readonly filter: Document | undefined;
  readonly sent: readonly unknown[];
};

/**
 * Delivers a command and its answer. In tests of the store it delivers immediately; in a simulation
 * late, partially or never. Runs `steps` in order, then returns the result of `answer`.
 */
export type Access = <T>(command: Command, steps: readonly Step[], answer: () => T) => Promise<T>;

/**
 * A step of a command. In a bulk write over several collections, each step is a command of its own.
 */
export type Step = ((filter: Document) => void) & { readonly command?: Command };

type FindOptions = { projection?: Document; sort?: Sort; limit?: number; raw?: boolean };
type AfterOptions = UpdateOptions & { returnDocument?: "after" | "before"; projection?: Document };
type Update = Document | readonly Document[];
/** The methods of the driver's cursor that our stores call. */
type Cursor = {
  sort(sort: Sort): Cursor;
  limit(limit: number): Cursor;
  project(projection: Document): Cursor;
  toArray(): Promise<Document[]>;
  [Symbol.asyncIterator](): AsyncGenerator<Document>;
};
type Bulk = {
  readonly sent: readonly unknown[];
  readonly writes: readonly (() => void)[];
  readonly ordered: boolean;
};
type BulkOperation = Readonly<Record<string, Document & { filter: Document; update: Update }>>;

/** Returns documents, or raw bytes for a caller that parses them. */
function asSent(documents: Document[], raw: boolean): Document[] {
  return raw ? documents.map((each) => BSON.serialize(each) as unknown as Document) : documents;
}

/** Implements the `Collection` methods that our stores call, in memory. */
export class MemoryCollection {
  private readonly table: Table;
  private readonly access: Access;

  constructor(table: Table, access: Access) {
    this.table = table;
    this.access = access;
  }

  async createIndexes(descriptions: readonly IndexDescription[]): Promise<void> {
    await this.write("createIndexes", {}, [], () => {
      for (const each of descriptions) this.table.addIndex(each);
    });
  }

  /** Reads all documents when the first one is requested, as a driver does with its first batch. */
  find(filter: Document = {}, options: FindOptions = {}): Cursor {
    const { projection, sort, limit = 0, raw = false } = options;
    const toArray = () =>
      this.read("find", filter, () => {
        const found = this.table.select(filter, sort);
        const shown = limit === 0 ? found : found.slice(0, limit);
        return asSent(
          shown.map((each) => projected(each, projection)),
          raw,
        );
      });
    const again = (more: FindOptions) => this.find(filter, { ...options, ...more });
    return {
      sort: (order) => again({ sort: order }),
      limit: (count) => again({ limit: count }),
      project: (fields) => again({ projection: fields }),
      toArray,
      async *[Symbol.asyncIterator]() {
        yield* await toArray();
      },
    };
  }

  async findOne(filter: Document, options: FindOptions = {}): Promise<Document | null> {
    const found = await this.read("findOne", filter, () => {
      const [first] = this.table.select(filter, options.sort);
      return first && projected(first, options.projection);
    });
    return found ?? null;
  }

  countDocuments(filter: Document = {}, { limit = 0 }: FindOptions = {}): Promise<number> {
    return this.read("countDocuments", filter, () => {
      const count = this.table.select(filter).length;
      return limit === 0 ? count : Math.min(count, limit);
    });
  }

  aggregate(pipeline: readonly Document[], { raw = false }: FindOptions = {}) {
    const read = () => asSent(aggregated(this.table.select({}), pipeline, this.table.now()), raw);
    const matched = (pipeline[0]?.$match ?? {}) as Document;
    return { toArray: () => this.read("aggregate", matched, read, pipeline) };
  }

  async insertOne(document: Document) {
    const sent = copied(document) as Document;
    await this.write("insertOne", undefined, [sent], () => this.table.insert(sent));
    return { acknowledged: true, insertedId: document._id };
  }

  insertMany(documents: readonly Document[], { ordered = true }: { ordered?: boolean } = {}) {
    const sent = documents.map((each) => copied(each) as Document);
    const writes = sent.map((document) => () => this.table.insert(document));
    return this.bulk("insertMany", { sent, writes, ordered }, () => ({
      acknowledged: true,
      insertedCount: documents.length,
    }));
  }

  updateOne(filter: Document, update: Update, options: UpdateOptions = {}) {
    return this.changeOne("updateOne", filter, update, options);
  }

  /** Selects the documents first, then updates each of them separately. */
  async updateMany(filter: Document, update: Update) {
    const result = { acknowledged: true, matchedCount: 0, modifiedCount: 0 };
    await this.write("updateMany", filter, [filter, update], (sent) => {
      for (const before of this.table.select(sent)) {
        const { isModified } = this.table.updateSelected(before, update);
        result.matchedCount += 1;
        result.modifiedCount += Number(isModified);
      }
    });
    return result;
  }

  async findOneAndUpdate(filter: Document, update: Update, options: AfterOptions = {}) {
    const { returnDocument = "before", projection } = options;
    const created = await this.write("findOneAndUpdate", filter, [filter, update], (sent) => {
      const changed = this.table.update(sent, update, options);
      const shown = returnDocument === "after" ? changed.after : changed.before;
      return shown && projected(shown, projection);
    });
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

  bulkWrite(operations: readonly BulkOperation[], { ordered = true }: { ordered?: boolean } = {}) {
    const result = { acknowledged: true, matchedCount: 0, modifiedCount: 0 };
    const writes = operations.map((operation) => () => {
      const [[kind = "", sent] = []] = Object.entries(operation);
      if (kind === "updateMany" && sent !== undefined) {
        for (const before of this.table.select(sent.filter)) {
          const { isModified } = this.table.updateSelected(before, sent.update);
          result.matchedCount += 1;
          result.modifiedCount += Number(isModified);
        }
        return;
      }
      if (kind !== "updateOne" || sent === undefined) {
        throw new Error(`the simulated store does not support ${kind} in a bulk write`);
      }
      const created = this.table.update(sent.filter, sent.update, sent as UpdateOptions);
      result.matchedCount += Number(created.before !== undefined);
      result.modifiedCount += Number(created.isModified);
    });
    return this.bulk("bulkWrite", { sent: operations, writes, ordered }, () => result);
  }

  private async changeOne(name: string, filter: Document, update: Update, options?: UpdateOptions) {
    const change = (sent: Document) => this.table.update(sent, update, options);
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
    const deletedCount = await this.write(name, filter, [filter], (sent) => {
      const found = this.table.select(sent).slice(0, countMax);
      for (const each of found) this.table.delete(each);
      return found.length;
    });
    return { acknowledged: true, deletedCount };
  }

  private read<T>(
    name: string,
    filter: Document,
    read: () => T,
    sent: readonly unknown[] = [filter],
  ): Promise<T> {
    const command = { collection: this.table.name, name, isWrite: false, filter, sent };
    return this.access(command, [], read);
  }

  private async write<T>(
    name: string,
    filter: Document | undefined,
    sent: readonly unknown[],
    write: (filter: Document) => T,
  ): Promise<T> {
    const command = { collection: this.table.name, name, isWrite: true, filter, sent };
    const done: { value?: T; error?: unknown } = {};
    const step = (taken: Document) => {
      try {
        done.value = write(taken);
      } catch (error) {
        done.error = error;
      }
    };
    return this.access(command, [step], () => {
      if ("error" in done) throw done.error;
      return done.value as T;
    });
  }

  /** Runs independent writes. An unordered bulk write continues after a failure. */
  private bulk<T>(name: string, { sent, writes, ordered }: Bulk, result: () => T): Promise<T> {
    const failed: WriteError[] = [];
    const steps = writes.map((write, index) => () => {
      if (ordered && failed.length > 0) return;
      try {
        write();
      } catch (error) {
        if (!(error instanceof MongoServerError)) throw error;
        const errmsg = error.message;
        const code = Number(error.code);
        failed.push({ index, code, errmsg } as WriteError);
      }
    });
    const command = { collection: this.table.name, name, isWrite: true, filter: undefined, sent };
    return this.access(command, steps, () => {
      const [first] = failed;
      if (first === undefined) return result();
      const summary = { message: first.errmsg ?? "", code: first.code, writeErrors: failed };
      throw new MongoBulkWriteError(summary, { insertedCount: 0 } as BulkWriteResult);
    });
  }
}
