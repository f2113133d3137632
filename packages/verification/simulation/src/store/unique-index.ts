import { Binary, Decimal128, type IndexDescription } from "mongodb";
import { matches } from "./filter.ts";
import { type Document, isDocument, valuesAt } from "./value.ts";

/** A unique index: which document has each key. */
export type UniqueIndex = {
  readonly name: string;
  /** The keys of a document; none when the index does not take it. */
  keysOf(document: Document): readonly string[];
  readonly owners: Map<string, unknown>;
};

/** A unique index of the driver's description; others change no outcome and are not kept. */
export function uniqueIndexOf(description: IndexDescription): UniqueIndex | undefined {
  if (description.unique !== true) return undefined;
  if (description.sparse === true) throw new Error("a unique index is partial here, not sparse");
  const paths =
    description.key instanceof Map ? [...description.key.keys()] : Object.keys(description.key);
  const only = description.partialFilterExpression as Document | undefined;
  return {
    name: description.name ?? paths.join("_"),
    owners: new Map(),
    keysOf: (document) => {
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

/** A value as a text that only equal values share. */
export function keyText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Decimal128) throw new Error("no unique index is over amounts");
  if (value instanceof Binary) return `bytes ${value.toString("hex")}`;
  if (Array.isArray(value)) return `[${value.map(keyText).join()}]`;
  if (!isDocument(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}:${keyText(field)}`);
  return `{${fields.join()}}`;
}
