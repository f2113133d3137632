import {
  compareValues,
  comparisons,
  copied,
  type Document,
  isDocument,
  isSameType,
  valuesAt,
} from "./value.ts";

export type Scope = { readonly document: Document; readonly now: Date };

/** The result of an expression that removes a field (`$$REMOVE`). */
export const removed = Symbol("removed");

/** Computes each operator from its evaluated arguments. */
const operators: Readonly<Record<string, (given: never) => unknown>> = {
  ...Object.fromEntries(
    Object.entries(comparisons).map(([operator, test]) => [
      operator,
      ([one, other]: unknown[]) => test(compareValues(one, other)),
    ]),
  ),
  $add: (parts: unknown[]) => {
    if (!parts.every((part) => part instanceof Date || typeof part === "number")) {
      throw new Error("the simulated store supports $add only for numbers and dates");
    }
    const sum = parts.reduce<number>((total, part) => total + Number(part), 0);
    return parts[0] instanceof Date ? new Date(sum) : sum;
  },
  $or: (parts: unknown[]) => {
    if (!parts.every((part) => typeof part === "boolean")) {
      throw new Error("the simulated store supports $or only for booleans");
    }
    return parts.includes(true);
  },
  $ifNull: (parts: unknown[]) => parts.find((each) => each !== null && each !== undefined) ?? null,
  $mergeObjects: (parts: object[]) => Object.assign({}, ...parts),
  $arrayElemAt: ([list, at]: [unknown[], number]) => list.at(at),
  $indexOfArray: ([list, value]: [unknown[], unknown]) =>
    list.findIndex((each) => compareValues(each, value) === 0),
  $concatArrays: (lists: unknown[][]) => lists.flat(),
  $slice: ([list, count]: [unknown[], number]) => sliced(list, count),
};

/** Returns a list's first elements, or its last ones for a negative count. */
export function sliced(list: readonly unknown[], count: number): unknown[] {
  return count < 0 ? list.slice(count) : list.slice(0, count);
}

/** Evaluates an aggregation expression. Throws for expressions that no store uses. */
export function evaluate(expression: unknown, scope: Scope): unknown {
  if (typeof expression === "string" && expression.startsWith("$"))
    return variable(expression, scope);
  if (Array.isArray(expression)) return expression.map((each) => evaluate(each, scope) ?? null);
  if (!isDocument(expression)) return expression;
  const [operator] = Object.keys(expression);
  if (!operator?.startsWith("$")) return withFields({}, expression, scope);
  const operand = expression[operator];
  if (operator === "$literal") return copied(operand);
  if (operator === "$cond") {
    const [condition, then, otherwise] = operand as unknown[];
    return evaluate(evaluate(condition, scope) === true ? then : otherwise, scope);
  }
  const known = operators[operator];
  if (known === undefined) {
    throw new Error(`the simulated store does not support the expression ${operator}`);
  }
  return known(evaluate(operand, scope) as never);
}

function variable(name: string, { document, now }: Scope): unknown {
  if (name === "$$NOW") return now;
  if (name === "$$REMOVE") return removed;
  if (name === "$$ROOT") return document;
  if (name.startsWith("$$"))
    throw new Error(`the simulated store does not support the variable ${name}`);
  const [value] = valuesAt(document, name.slice(1));
  return value;
}

/**
 * Applies a `$set` stage. If a document is set into an existing document, the two are merged. The
 * update operator `$set` replaces it instead.
 */
export function withFields(before: Document, fields: Document, scope: Scope): Document {
  const after: Document = { ...before };
  for (const [name, expression] of Object.entries(fields)) {
    const [first = name, ...rest] = name.split(".");
    if (rest.length > 0) {
      const inner = after[first] ?? {};
      if (!isDocument(inner))
        throw new Error("the simulated store sets nested fields only in documents");
      after[first] = withFields(inner, { [rest.join(".")]: expression }, scope);
      continue;
    }
    const isPlain = isDocument(expression) && !Object.keys(expression)[0]?.startsWith("$");
    const there = before[name];
    const value =
      isPlain && isDocument(there) && isSameType(there, expression)
        ? withFields(there, expression, scope)
        : evaluate(expression, scope);
    if (value === removed) delete after[name];
    else if (value !== undefined) after[name] = value;
  }
  return after;
}
