import { evaluate } from "./expression.ts";
import {
  compareValues,
  comparisons,
  type Document,
  isDocument,
  isEqual,
  isSameType,
  valuesAt,
} from "./value.ts";

/**
 * Returns true if a document matches a filter. `now` is the database's clock. Throws for operators
 * that no store uses.
 */
export function matches(document: Document, filter: Document, now?: Date): boolean {
  for (const key in filter) {
    const condition = filter[key];
    if (condition === undefined) continue;
    if (!isTaken(document, key, condition, now)) return false;
  }
  return true;
}

function isTaken(
  document: Document,
  key: string,
  condition: unknown,
  now: Date | undefined,
): boolean {
  if (!key.startsWith("$")) return matchesField(valuesAt(document, key), condition);
  const branches = condition as Document[];
  switch (key) {
    case "$and":
      return branches.every((each) => matches(document, each, now));
    case "$or":
      return branches.some((each) => matches(document, each, now));
    case "$nor":
      return !branches.some((each) => matches(document, each, now));
    case "$expr":
      if (now === undefined)
        throw new Error("the simulated store cannot evaluate $expr without a clock");
      return evaluate(condition, { document, now }) === true;
    default:
      throw new Error(`the simulated store does not support ${key} in a filter`);
  }
}

/** Returns true for a condition with operators, and false for a value to compare. */
function hasOperators(condition: unknown): condition is Document {
  return isDocument(condition) && Object.keys(condition)[0]?.startsWith("$") === true;
}

export function matchesField(values: readonly unknown[], condition: unknown): boolean {
  if (!hasOperators(condition)) return any(values, (value) => isEqual(value, condition ?? null));
  for (const operator in condition) {
    const operand = condition[operator];
    if (operand !== undefined && !fulfils(values, operator, operand)) return false;
  }
  return true;
}

/** Tests each value. An array matches if the array itself or any of its elements matches. */
function any(values: readonly unknown[], test: (value: unknown) => boolean): boolean {
  return values.some((value) => test(value) || (Array.isArray(value) && value.some(test)));
}

function fulfils(values: readonly unknown[], operator: string, operand: unknown): boolean {
  const test = comparisons[operator];
  if (test !== undefined) {
    const isOrdered = (value: unknown) => test(compareValues(value, operand));
    return any(values, (value) => isSameType(value, operand) && isOrdered(value));
  }
  switch (operator) {
    case "$ne":
      return !any(values, (value) => isEqual(value, operand));
    case "$in":
      return (operand as unknown[]).some((each) => any(values, (value) => isEqual(value, each)));
    case "$nin":
      return !fulfils(values, "$in", operand);
    case "$not":
      return !matchesField(values, operand);
    case "$exists":
      return values.some((value) => value !== undefined) === operand;
    case "$elemMatch":
      return values
        .filter((value) => Array.isArray(value))
        .some((list) =>
          list.some((each) => isDocument(each) && matches(each, operand as Document)),
        );
    case "$size":
      return values.some((value) => Array.isArray(value) && value.length === operand);
    default:
      throw new Error(`the simulated store does not support the filter operator ${operator}`);
  }
}
