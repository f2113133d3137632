import { BSON } from "mongodb";
import { projected } from "./projection.ts";
import type { Sort, Table } from "./table.ts";
import type { Document } from "./value.ts";

/** Runs one read of a table where and when its store decides. */
export type Read = <T>(read: () => T) => Promise<T>;

type Options = {
  projection?: Document;
  sort?: Sort;
  limit?: number;
  skip?: number;
  /** Each document as its BSON. */
  raw?: boolean;
};

/** What `find` answers with: nothing is read before the first document is fetched. */
export class Cursor {
  readonly #table: Table;
  readonly #filter: Document;
  readonly #read: Read;
  #options: Options;

  constructor(table: Table, filter: Document, options: Options, read: Read) {
    this.#table = table;
    this.#filter = filter;
    this.#read = read;
    this.#options = options;
  }

  sort(sort: Sort): this {
    return this.#with({ sort });
  }

  limit(limit: number): this {
    return this.#with({ limit });
  }

  project(projection: Document): this {
    return this.#with({ projection });
  }

  /** All at once, as a first batch of the driver holds them. */
  toArray(): Promise<Document[]> {
    const { projection, sort, limit = 0, skip = 0, raw = false } = this.#options;
    return this.#read(() => {
      const found = this.#table.select(this.#filter, sort);
      const end = limit === 0 ? undefined : skip + limit;
      const shown = found.slice(skip, end).map((each) => projected(each, projection));
      // The driver's types do not say either what it answers then.
      return raw ? shown.map((each) => BSON.serialize(each) as unknown as Document) : shown;
    });
  }

  async next(): Promise<Document | null> {
    return (await this.limit(1).toArray())[0] ?? null;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document> {
    yield* await this.toArray();
  }

  #with(options: Options): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }
}
