import { Binary, Decimal128 } from "mongodb";

/** A document as the store keeps it; the driver's types are checked where services call it. */
export type Document = Record<string, unknown>;

/** Whether a value has fields of its own: a document, and no date, number or bytes. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A copy that shares nothing that can change; fields that are `undefined` are left out, as the
 * driver does with `ignoreUndefined`.
 */
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

/** The order of BSON's types, as far as our stores use them. */
function rankOf(value: unknown): number {
  switch (typeof value) {
    case "undefined":
      return 0;
    case "number":
    case "bigint":
      return 1;
    case "string":
      return 2;
    case "boolean":
      return 6;
    default:
      if (value === null) return 0;
      if (value instanceof Decimal128) return 1;
      if (value instanceof Date) return 7;
      if (value instanceof Binary) return 5;
      if (Array.isArray(value)) return 4;
      if (isDocument(value)) return 3;
      throw new Error("a value of a type that no store keeps");
  }
}

/** Whether two values are compared at all by `$lt` and its like: only within one type. */
export function isSameType(one: unknown, other: unknown): boolean {
  return rankOf(one) === rankOf(other);
}

/** Negative, zero or positive, in BSON's order; absent counts as null. */
export function compareValues(one: unknown, other: unknown): number {
  const rank = rankOf(one);
  const difference = rank - rankOf(other);
  if (difference !== 0) return difference;
  switch (rank) {
    case 0:
      return 0;
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
    case 6:
      return Number(one) - Number(other);
    default:
      return (one as Date).getTime() - (other as Date).getTime();
  }
}

function compareNumbers(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [left, right] = [wholeOf(one), wholeOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const wholeDecimal = /^(-?\d+)(?:E\+(\d+))?$/;

/** Decimals are whole minor units everywhere; any other would need another comparison. */
function wholeOf(value: unknown): bigint {
  if (typeof value === "number") return BigInt(value);
  const match = wholeDecimal.exec(String(value));
  if (match?.[1] === undefined) throw new Error("a decimal that is not whole");
  return BigInt(match[1]) * 10n ** BigInt(match[2] ?? 0);
}

function compareLists(one: readonly unknown[], other: readonly unknown[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = compareValues(one[at], other[at]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Whether two values are the same to a filter and to a unique index. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one === "string" || typeof one === "boolean") return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((each, at) => isEqual(each, other[at]));
  }
  if (isDocument(one)) return isDocument(other) && isSameDocument(one, other);
  return isSameType(one, other) && compareValues(one, other) === 0;
}

/** Of the same fields in the same order. */
function isSameDocument(one: Document, other: Document): boolean {
  const names = Object.keys(other);
  let at = 0;
  for (const name in one) {
    if (names[at] !== name || !isEqual(one[name], other[name])) return false;
    at += 1;
  }
  return at === names.length;
}

/**
 * What stands at a dotted path: one value, or through arrays one for each element. `undefined`
 * stands for a field that is absent, also where an array on the way has no documents.
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
