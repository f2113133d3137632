import { byKeys, type Sort } from "./aggregation.ts";
import { matches } from "./filter.ts";
import { type Document, isDocument, keyText } from "./value.ts";

/** A collection's documents on one member of the replica set. Documents are never changed. */
export class Rows {
  readonly #byId: Map<string, Document>;
  readonly #now: () => Date;

  constructor(now: () => Date, rows: Iterable<readonly [id: string, row: Document]> = []) {
    this.#now = now;
    this.#byId = new Map(rows);
  }

  copy(): Rows {
    return new Rows(this.#now, this.#byId);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  entries(): Iterable<[id: string, row: Document]> {
    return this.#byId;
  }

  set(id: string, row: Document | undefined): void {
    if (row === undefined) this.#byId.delete(id);
    else this.#byId.set(id, row);
  }

  /** Returns matching documents in order. Callers must not change them. */
  select(filter: Document, sort?: Sort): Document[] {
    const now = this.#now();
    const found = this.#candidates(filter).filter((row) => matches(row, filter, now));
    return sort === undefined ? found : found.sort(byKeys(sort));
  }

  /** Avoids a full scan when `_id` is given. */
  #candidates({ _id }: Document): readonly Document[] {
    if (_id === undefined) return [...this.#byId.values()];
    if (!isDocument(_id)) return this.#byIds([_id]);
    const ids: unknown = _id.$in;
    return Array.isArray(ids) ? this.#byIds(ids) : [...this.#byId.values()];
  }

  #byIds(ids: readonly unknown[]): Document[] {
    const found = [...new Set(ids.map(keyText))].map((id) => this.#byId.get(id));
    return found.filter((row) => row !== undefined);
  }
}
