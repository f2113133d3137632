import { MongoServerError } from "mongodb";
import { matches } from "./filter.ts";
import { keyText, type UniqueIndex } from "./unique-index.ts";
import { updated } from "./update.ts";
import { compareValues, copied, type Document, isDocument, isEqual, valuesAt } from "./value.ts";

/** The order of a query: 1 ascends, -1 descends. */
export type Sort = Readonly<Record<string, 1 | -1>>;

/** What becomes of every write: for checks that hold at each moment. */
export type OnWrite = (before: Document | undefined, after: Document | undefined) => void;

/** What an update does to the one document that it finds, or makes. */
export type UpdateOptions = {
  readonly upsert?: boolean | undefined;
  readonly sort?: Sort | undefined;
};

/** The documents of a collection; every method is one atomic step of the database. */
export class Table {
  readonly name: string;
  readonly #rows = new Map<string, Document>();
  readonly #indexes: UniqueIndex[] = [];
  readonly #now: () => Date;
  readonly #onWrite: OnWrite;

  constructor(name: string, now: () => Date, onWrite: OnWrite) {
    this.name = name;
    this.#now = now;
    this.#onWrite = onWrite;
  }

  /** Keeps a unique index from now on; one that is there already stays. */
  addIndex(index: UniqueIndex): void {
    if (this.#indexes.some(({ name }) => name === index.name)) return;
    this.#indexes.push(index);
    for (const [id, row] of this.#rows) this.#claim(index, row, id);
  }

  /** What a filter takes, in order; the documents themselves, which no caller may change. */
  select(filter: Document, sort?: Sort): Document[] {
    const now = this.#now();
    const found = this.#candidates(filter).filter((row) => matches(row, filter, now));
    return sort === undefined ? found : found.sort(byKeys(sort));
  }

  insert(document: Document): void {
    const row = copied(document) as Document;
    const id = keyText(row._id);
    if (row._id === undefined) throw new Error("every document of ours has an _id");
    if (this.#rows.has(id)) throw this.#duplicateKey("_id_");
    this.#write(id, undefined, row);
  }

  /** Changes the first document that a filter takes; an upsert makes it otherwise. */
  update(filter: Document, update: Document | readonly Document[], options: UpdateOptions = {}) {
    const [before] = this.select(filter, options.sort);
    if (before !== undefined) return { before, ...this.updateSelected(before, update) };
    if (options.upsert !== true) return { before, after: undefined, isModified: false };
    const after = updated(equalities(filter), update, this.#now(), true);
    this.insert(after);
    return { before: undefined, after, isModified: true };
  }

  /** Changes one document that was selected before. */
  updateSelected(before: Document, update: Document | readonly Document[]) {
    const after = updated(before, update, this.#now());
    return { after, isModified: this.#replaceRow(before, after) };
  }

  replace(filter: Document, replacement: Document) {
    const [before] = this.select(filter);
    if (before === undefined) return { before, isModified: false };
    const after = { _id: before._id, ...(copied(replacement) as Document) };
    return { before, isModified: this.#replaceRow(before, after) };
  }

  delete(document: Document): void {
    this.#write(keyText(document._id), document, undefined);
  }

  #replaceRow(before: Document, after: Document): boolean {
    if (isEqual(before, after)) return false;
    this.#write(keyText(before._id), before, after);
    return true;
  }

  #write(id: string, before: Document | undefined, after: Document | undefined): void {
    if (after !== undefined) {
      for (const index of this.#indexes) this.#assertFree(index, after, id);
    }
    for (const index of this.#indexes) {
      for (const key of before === undefined ? [] : index.keysOf(before)) index.owners.delete(key);
      if (after !== undefined) this.#claim(index, after, id);
    }
    if (after === undefined) this.#rows.delete(id);
    else this.#rows.set(id, after);
    this.#onWrite(before, after);
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

  /** By `_id` without a walk through all. */
  #candidates({ _id }: Document): readonly Document[] {
    if (_id === undefined) return [...this.#rows.values()];
    if (!isDocument(_id)) return this.#byIds([_id]);
    const ids: unknown = _id.$in;
    return Array.isArray(ids) ? this.#byIds(ids) : [...this.#rows.values()];
  }

  #byIds(ids: readonly unknown[]): Document[] {
    const found = [...new Set(ids.map(keyText))].map((id) => this.#rows.get(id));
    return found.filter((row) => row !== undefined);
  }
}

/** What an upsert takes over from its filter. */
function equalities(filter: Document): Document {
  const fields: Document = {};
  for (const [name, condition] of Object.entries(filter)) {
    if (condition === undefined || name.startsWith("$") || isDocument(condition)) continue;
    if (name.includes(".")) throw new Error("the simulated store upserts by whole fields");
    fields[name] = copied(condition);
  }
  return fields;
}

/** Compares two documents by the keys of an order, one after the other. */
export function byKeys(sort: Sort): (one: Document, other: Document) => number {
  const keys = Object.entries(sort);
  return (one, other) => {
    for (const [path, direction] of keys) {
      const difference = compareValues(
        sortValue(one, path, direction),
        sortValue(other, path, direction),
      );
      if (difference !== 0) return difference * direction;
    }
    return 0;
  };
}

/** Of several values the least counts in an ascending order, the greatest in a descending one. */
function sortValue(document: Document, path: string, direction: 1 | -1): unknown {
  const values = valuesAt(document, path).flat();
  if (values.length < 2) return values[0];
  return values.reduce((best, each) => (compareValues(each, best) * direction < 0 ? each : best));
}
