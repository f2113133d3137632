import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { Decimal128 } from "mongodb";
import { evaluate, withFields } from "./expression.ts";
import { matches } from "./filter.ts";
import { compareValues, copied, type Document, isDocument, keyText, valuesAt } from "./value.ts";

/** Sort direction by field: 1 ascending, -1 descending. */
export type Sort = Readonly<Record<string, 1 | -1>>;

/** Evaluates an aggregation pipeline. Throws for stages that no store uses. */
export function aggregated(
  rows: readonly Document[],
  pipeline: readonly Document[],
  now: Date,
): Document[] {
  const through = (some: readonly Document[], stage: Document) => throughStage(some, stage, now);
  return pipeline.reduce(through, rows).map((row) => copied(row) as Document);
}

function throughStage(rows: readonly Document[], stage: Document, now: Date): Document[] {
  const [name = ""] = Object.keys(stage);
  const operand = stage[name] as Document;
  switch (name) {
    case "$documents":
      return operand as unknown as Document[];
    case "$match":
      return rows.filter((row) => matches(row, operand, now));
    case "$set":
      return rows.map((row) => withFields(row, operand, { document: row, now }));
    case "$unset":
      return rows.map((row) => withFields(row, leftOut(operand), { document: row, now }));
    case "$replaceWith":
      return rows.map((row) => evaluate(operand, { document: row, now }) as Document);
    case "$sort":
      return rows.toSorted(byKeys(operand as Sort));
    case "$group":
      return grouped(rows, operand, now);
    default:
      throw new Error(`the simulated store does not support the stage ${name}`);
  }
}

/** Returns the update for a stage `$unset` of one field. */
function leftOut(field: unknown): Document {
  if (typeof field !== "string")
    throw new Error("the simulated store supports $unset of a single field only");
  return { [field]: "$$REMOVE" };
}

function grouped(rows: readonly Document[], { _id, ...fields }: Document, now: Date): Document[] {
  const groups = Map.groupBy(rows, (document) => keyText(evaluate(_id, { document, now })));
  return [...groups.values()].map((members) => {
    const [first = {}] = members;
    const group: Document = { _id: evaluate(_id, { document: first, now }) };
    for (const [field, accumulator] of Object.entries(fields)) {
      const [[operator, operand] = []] = Object.entries(accumulator as Document);
      const values = members.map((document) => evaluate(operand, { document, now }));
      group[field] = accumulated(operator, values);
    }
    return group;
  });
}

function accumulated(operator: string | undefined, values: readonly unknown[]): unknown {
  switch (operator) {
    case "$first":
      return values[0];
    case "$sum":
      return summed(values);
    case "$max":
      return values.reduce((most, each) => (compareValues(each, most) > 0 ? each : most));
    default:
      throw new Error(`the simulated store does not support the accumulator ${operator}`);
  }
}

/** Adds decimals, or numbers if there are only numbers. Ignores other values. */
function summed(values: readonly unknown[]): unknown {
  const numbers = values.filter((each) => typeof each === "number");
  const decimals = values.filter((each) => each instanceof Decimal128);
  const sum = numbers.reduce((total, each) => total + each, 0);
  if (decimals.length === 0) return sum;
  return toDecimal128(decimals.map(fromDecimal128).reduce((a, b) => a + b, BigInt(sum)));
}

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

/**
 * If a field has several values, an ascending order uses the least value, and a descending order
 * the greatest.
 */
function sortValue(document: Document, path: string, direction: 1 | -1): unknown {
  const values = valuesAt(document, path).flat();
  if (values.length < 2) return values[0];
  return values.reduce((best, each) => (compareValues(each, best) * direction < 0 ? each : best));
}

/** Returns a copy with only the projected fields, or the projected parts of fields. */
export function projected(document: Document, projection?: Document): Document {
  if (projection === undefined) return copied(document) as Document;
  const names = Object.keys(projection);
  if (names.some((name) => name.includes("."))) {
    if (names.every((name) => isShown(projection[name]))) {
      return copied(partsOf(document, ["_id", ...names])) as Document;
    }
    throw new Error("the simulated store does not support projections that exclude nested fields");
  }
  const isInclusion = names.some((name) => name !== "_id" && isShown(projection[name]));
  const isOnlyId = names.length === 1 && isShown(projection._id);
  const shown = (name: string): boolean => {
    if (name in projection) return isShown(projection[name]);
    return name === "_id" || !(isInclusion || isOnlyId);
  };
  const fields = Object.entries(document).filter(([name]) => shown(name));
  return copied(Object.fromEntries(fields)) as Document;
}

/** Returns whole fields, and parts of fields: for `a.b`, the field `b` of the value at `a`. */
function partsOf(document: Document, paths: readonly string[]): Document {
  const parts: Document = {};
  for (const [name, of] of Map.groupBy(paths, (path) => path.split(".", 1)[0] ?? "")) {
    const inner = of.filter((path) => path !== name).map((path) => path.slice(name.length + 1));
    const part = inner.length === 0 ? document[name] : partOf(document[name], inner);
    if (part !== undefined) parts[name] = part;
  }
  return parts;
}

/** Maps a list to the projected parts of its documents. Omits values that are not documents. */
function partOf(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => partOf(each, paths) ?? []);
  return isDocument(value) ? partsOf(value, paths) : undefined;
}

function isShown(flag: unknown): boolean {
  return flag === 1 || flag === true;
}
