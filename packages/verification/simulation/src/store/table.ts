import { type IndexDescription, MongoServerError } from "mongodb";
import type { Sort } from "./aggregation.ts";
import { matches } from "./filter.ts";
import { Rows } from "./rows.ts";
import { updated } from "./update.ts";
import { copied, type Document, isDocument, isEqual, keyText, valuesAt } from "./value.ts";

type UniqueIndex = NonNullable<ReturnType<typeof uniqueIndexOf>>;

/** Creates a unique index. Ignores other indexes, because they don't affect results. */
function uniqueIndexOf(description: IndexDescription) {
  if (description.unique !== true) return undefined;
  if (description.sparse === true) {
    throw new Error(
      "the simulated store does not support sparse unique indexes: use a partial one",
    );
  }
  const paths =
    description.key instanceof Map ? [...description.key.keys()] : Object.keys(description.key);
  const only = description.partialFilterExpression as Document | undefined;
  return {
    name: description.name ?? paths.join("_"),
    owners: new Map<string, unknown>(),
    /** Returns a document's keys in the index. Empty if the index doesn't apply to the document. */
    keysOf: (document: Document) => {
      if (only !== undefined && !matches(document, only)) return [];
      const parts = paths.map((path) => {
        const values = valuesAt(document, path).flat();
        return values.length === 0 ? ["null"] : [...new Set(values.map(keyText))];
      });
      return parts.reduce((keys, values) =>
        keys.flatMap((key) => values.map((value) => `${key} ${value}`)),
      );
    },
  };
}

/** Called after every write of a document. */
export type OnWrite = (
  id: string,
  before: Document | undefined,
  after: Document | undefined,
) => void;

export type UpdateOptions = {
  readonly upsert?: boolean | undefined;
  readonly sort?: Sort | undefined;
};

/** A collection's documents on a primary, with its unique indexes. Every method is atomic. */
export class Table {
  readonly name: string;
  readonly now: () => Date;
  readonly rows: Rows;
  readonly #descriptions = new Map<string, IndexDescription>();
  readonly #indexes: UniqueIndex[] = [];
  readonly #onWrite: OnWrite;

  constructor(name: string, now: () => Date, onWrite: OnWrite, rows = new Rows(now)) {
    this.name = name;
    this.now = now;
    this.rows = rows;
    this.#onWrite = onWrite;
  }

  /** Adds a unique index, unless it already exists. */
  addIndex(description: IndexDescription): void {
    const index = uniqueIndexOf(description);
    if (index === undefined || this.#descriptions.has(index.name)) return;
    this.#descriptions.set(index.name, description);
    this.#indexes.push(index);
    for (const [id, row] of this.rows.entries()) this.#claim(index, row, id);
  }

  /** Returns another member's copy of the table, with these documents. */
  with(rows: Rows, onWrite: OnWrite): Table {
    const table = new Table(this.name, this.now, onWrite, rows);
    for (const each of this.#descriptions.values()) table.addIndex(each);
    return table;
  }

  select(filter: Document, sort?: Sort): Document[] {
    return this.rows.select(filter, sort);
  }

  insert(document: Document): void {
    const row = copied(document) as Document;
    const id = keyText(row._id);
    if (row._id === undefined) throw new Error("an inserted document has no _id");
    if (this.rows.has(id)) throw this.#duplicateKey("_id_");
    this.#write(id, undefined, row);
  }

  /** Updates the first matching document. If there is none, an upsert creates one. */
  update(filter: Document, update: Document | readonly Document[], options: UpdateOptions = {}) {
    const [before] = this.select(filter, options.sort);
    if (before !== undefined) return { before, ...this.updateSelected(before, update) };
    if (options.upsert !== true) return { before, after: undefined, isModified: false };
    const after = updated(equalities(filter), update, this.now(), true);
    this.insert(after);
    return { before: undefined, after, isModified: true };
  }

  updateSelected(before: Document, update: Document | readonly Document[]) {
    const after = updated(before, update, this.now());
    const isModified = !isEqual(before, after);
    if (isModified) this.#write(keyText(before._id), before, after);
    return { after, isModified };
  }

  delete(document: Document): void {
    this.#write(keyText(document._id), document, undefined);
  }

  #write(id: string, before: Document | undefined, after: Document | undefined): void {
    if (after !== undefined) {
      for (const index of this.#indexes) this.#assertFree(index, after, id);
    }
    for (const index of this.#indexes) {
      for (const key of before === undefined ? [] : index.keysOf(before)) index.owners.delete(key);
      if (after !== undefined) this.#claim(index, after, id);
    }
    this.rows.set(id, after);
    this.#onWrite(id, before, after);
  }

  #assertFree(index: UniqueIndex, row: Document, id: string): void {
    for (const key of index.keysOf(row)) {
      const owner = index.owners.get(key);
      if (owner !== undefined && owner !== id) throw this.#duplicateKey(index.name);
    }
  }

  #claim(index: UniqueIndex, row: Document, id: string): void {
    for (const key of index.keysOf(row)) index.owners.set(key, id);
  }

  #duplicateKey(index: string): MongoServerError {
    const message = `E11000 duplicate key error collection: ${this.name} index: ${index}`;
    return new MongoServerError({ message, code: 11_000 });
  }
}

/** Returns the fields that an upsert copies from its filter. */
function equalities(filter: Document): Document {
  const fields: Document = {};
  for (const [name, condition] of Object.entries(filter)) {
    if (condition === undefined || name.startsWith("$") || isDocument(condition)) continue;
    if (name.includes("."))
      throw new Error("the simulated store does not support upserts that filter by nested fields");
    fields[name] = copied(condition);
  }
  return fields;
}
