import { Binary, type Document } from "mongodb";

/** The differences of a copy from its original. */
export type CopyTerms = {
  /** In the order of the names that the originals were compiled with, and each as long. */
  readonly names: readonly string[];
  /** Added to every moment. */
  readonly shiftMs: number;
};

/** Makes a copy of one original. */
export type Copier = (terms: CopyTerms) => Document;

/** Makes a part of a copy; a part without one is the same in every copy. */
type Maker = ((terms: CopyTerms) => unknown) | undefined;

/**
 * Compiles a function that copies a document as its service would have written it for another
 * payout: names of the original, also inside texts and bytes, become the copy's, and all times move.
 * The search for them runs once: a copy without it costs half.
 */
export function compileCopy(document: Document, names: readonly string[]): Copier {
  return copyFields(document, names) ?? (() => ({ ...document }));
}

function copyValue(value: unknown, names: readonly string[]): Maker {
  if (typeof value === "string") return copyText(value, names);
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Date) return ({ shiftMs }) => new Date(value.getTime() + shiftMs);
  if (value instanceof Binary) {
    const make = copyText(Buffer.from(value.value()).toString("latin1"), names);
    return make && ((terms) => new Binary(Buffer.from(String(make(terms)), "latin1")));
  }
  if (Array.isArray(value)) return copyItems(value, names);
  return "_bsontype" in value ? undefined : copyFields(value, names);
}

/** Splits a text at the names; `undefined` if it has none. */
function copyText(text: string, names: readonly string[]): Maker {
  const at = names.findIndex((name) => text.includes(name));
  if (at === -1) return undefined;
  const makers = text.split(names[at] ?? "").map((part) => copyText(part, names) ?? (() => part));
  return (terms) => makers.map((make) => make(terms)).join(terms.names[at]);
}

function copyItems(items: readonly unknown[], names: readonly string[]): Maker {
  const makers = items.map((item) => copyValue(item, names));
  if (makers.every((make) => make === undefined)) return undefined;
  return (terms) => items.map((item, at) => makers[at]?.(terms) ?? item);
}

function copyFields(document: Document, names: readonly string[]): Copier | undefined {
  const fields = Object.entries(document).map(([key, value]) => {
    return { key, value, make: copyValue(value, names) };
  });
  if (fields.every(({ make }) => make === undefined)) return undefined;
  return (terms) => {
    const copy: Document = {};
    for (const { key, value, make } of fields) copy[key] = make === undefined ? value : make(terms);
    return copy;
  };
}
