import { Binary, Decimal128 } from "mongodb";

/** A stored document. The services' tests check the driver's types. */
export type Document = Record<string, unknown>;

/** Returns true for a document with fields, not for a date, number or bytes. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns a deep copy without `undefined` fields, like the driver with `ignoreUndefined`. */
export function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => copied(each) ?? null);
  if (!isDocument(value)) return value;
  const copy: Document = {};
  for (const key in value) {
    const field = value[key];
    if (field !== undefined) copy[key] = typeof field === "object" ? copied(field) : field;
  }
  return copy;
}

const ranks = new Map<unknown, number>([
  [Number, 1],
  [BigInt, 1],
  [Decimal128, 1],
  [String, 2],
  [Object, 3],
  [Array, 4],
  [Binary, 5],
  [Boolean, 6],
  [Date.prototype.constructor, 7],
]);

function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const rank = isDocument(value) ? 3 : ranks.get(value.constructor);
  if (rank === undefined)
    throw new Error("the simulated store does not support values of this type");
  return rank;
}

/** `$lt` and similar operators only compare values of one type. */
export function isSameType(one: unknown, other: unknown): boolean {
  return rankOf(one) === rankOf(other);
}

/** Compares in BSON's order. An absent value equals null. */
export function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0;
  const rank = rankOf(one);
  const difference = rank - rankOf(other);
  if (difference !== 0 || rank === 0) return difference;
  switch (rank) {
    case 1:
      return compareNumbers(one, other);
    case 2:
      return Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
    case 3:
      return compareLists(Object.entries(one as Document), Object.entries(other as Document));
    case 4:
      return compareLists(one as unknown[], other as unknown[]);
    case 5:
      return Buffer.compare((one as Binary).value(), (other as Binary).value());
    default:
      return Number(one) - Number(other);
  }
}

export const comparisons: Readonly<Record<string, (difference: number) => boolean>> = {
  $eq: (difference) => difference === 0,
  $lt: (difference) => difference < 0,
  $lte: (difference) => difference <= 0,
  $gt: (difference) => difference > 0,
  $gte: (difference) => difference >= 0,
};

function compareNumbers(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [left, right] = [wholeOf(one), wholeOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const wholeDecimal = /^(-?\d+)(?:E\+(\d+))?$/;

/** Our decimals are whole minor units. Other decimals are not supported. */
function wholeOf(value: unknown): bigint {
  if (typeof value === "number") return BigInt(value);
  const match = wholeDecimal.exec(String(value));
  if (match?.[1] === undefined)
    throw new Error("the simulated store does not support decimals with a fraction");
  return BigInt(match[1]) * 10n ** BigInt(match[2] ?? 0);
}

function compareLists(one: readonly unknown[], other: readonly unknown[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = compareValues(one[at], other[at]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/**
 * Compares as a filter does. Documents are equal if they have the same fields in the same order.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (typeof one !== "string" && compareValues(one, other) === 0);
}

/** Returns a text for a value. Two texts are equal only if the values are equal. */
export function keyText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Decimal128)
    throw new Error("the simulated store does not support decimals as keys");
  if (value instanceof Binary) return `bytes ${value.toString("hex")}`;
  if (Array.isArray(value)) return `[${value.map(keyText).join()}]`;
  if (!isDocument(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}:${keyText(field)}`);
  return `{${fields.join()}}`;
}

/**
 * Returns the values at a dotted path. If the path crosses arrays, returns one value for each
 * element. An absent field is `undefined`, also if an array on the path contains no documents.
 */
export function valuesAt(document: Document, path: string): unknown[] {
  if (!path.includes(".")) return [document[path]];
  const found: unknown[] = [];
  collect(document, path.split("."), 0, found);
  return found.length === 0 ? [undefined] : found;
}

function collect(value: unknown, path: readonly string[], at: number, found: unknown[]): void {
  const field = path[at];
  if (field === undefined) {
    found.push(value);
  } else if (Array.isArray(value)) {
    for (const each of value) if (isDocument(each)) collect(each, path, at, found);
  } else {
    collect(isDocument(value) ? value[field] : undefined, path, at + 1, found);
  }
}
