import { Binary, type Document } from "mongodb";

/** What of a document is another in its copy. */
export type CopyTerms = {
  /** Each text that names the original, and what names the copy in its place; of equal length. */
  readonly names: ReadonlyMap<string, string>;
  /** Added to every moment. */
  readonly shiftMs: number;
};

/**
 * A copy of a document as its service would have written it for another payout: ids and times are
 * the copy's, also inside texts and bytes; all else stays.
 */
export function copyOf<T extends Document>(document: T, terms: CopyTerms): T {
  return copyValue(document, terms) as T;
}

function copyValue(value: unknown, terms: CopyTerms): unknown {
  if (typeof value === "string") return renamed(value, terms.names);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return new Date(value.getTime() + terms.shiftMs);
  if (Array.isArray(value)) return value.map((each) => copyValue(each, terms));
  if (value instanceof Binary) {
    const latin1 = Buffer.from(value.value()).toString("latin1");
    return new Binary(Buffer.from(renamed(latin1, terms.names), "latin1"));
  }
  if ("_bsontype" in value) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = copyValue((value as Document)[key], terms);
  return copy;
}

function renamed(text: string, names: CopyTerms["names"]): string {
  let copy = text;
  for (const [original, name] of names) {
    if (copy.includes(original)) copy = copy.replaceAll(original, name);
  }
  return copy;
}

/** Whether a document names one of these, anywhere in it. */
export function namesAny(value: unknown, names: readonly string[]): boolean {
  if (typeof value === "string") return names.some((name) => value.includes(name));
  if (typeof value !== "object" || value === null || "_bsontype" in value) return false;
  return Object.values(value).some((each) => namesAny(each, names));
}

/** What an account is worth, and how far its statement goes. */
export type AccountState = {
  readonly available: bigint;
  readonly held: bigint;
  readonly sequence: number;
};

/** The account after a payout's hold, and after its post. */
export function payoutMovements(before: AccountState, amount: bigint) {
  const { available, held, sequence } = before;
  const hold: AccountState = {
    available: available - amount,
    held: held + amount,
    sequence: sequence + 1,
  };
  const post: AccountState = { ...hold, held, sequence: sequence + 2 };
  return { hold, post };
}
