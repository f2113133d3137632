import {
  compareValues,
  copied,
  type Document,
  isDocument,
  isEqual,
  isSameType,
  valuesAt,
} from "./value.ts";

/** What an expression may refer to: the document, and the database's clock. */
export type Scope = { readonly document: Document; readonly now: Date };

/** An expression's answer that a field be left out (`$$REMOVE`). */
export const removed = Symbol("removed");

type Evaluate = (operand: unknown, scope: Scope) => unknown;

function ordered(test: (difference: number) => boolean): Evaluate {
  return (operand, scope) => {
    const [one, other] = (operand as unknown[]).map((each) => evaluate(each, scope));
    return test(compareValues(one, other));
  };
}

const operators: Readonly<Record<string, Evaluate>> = {
  $literal: (operand) => copied(operand),
  $lt: ordered((difference) => difference < 0),
  $lte: ordered((difference) => difference <= 0),
  $gt: ordered((difference) => difference > 0),
  $gte: ordered((difference) => difference >= 0),
  $eq: (operand, scope) => {
    const [one, other] = (operand as unknown[]).map((each) => evaluate(each, scope));
    return isEqual(one ?? null, other ?? null);
  },
  $add: (operand, scope) => {
    const parts = (operand as unknown[]).map((each) => evaluate(each, scope));
    const [first, ...others] = parts;
    const millis = (part: unknown): number => {
      if (part instanceof Date) return part.getTime();
      if (typeof part === "number") return part;
      throw new Error("the simulated store adds numbers, and milliseconds to a date");
    };
    const sum = others.reduce<number>((total, part) => total + millis(part), millis(first));
    return first instanceof Date ? new Date(sum) : sum;
  },
  $cond: (operand, scope) => {
    const [condition, then, otherwise] = operand as unknown[];
    return evaluate(evaluate(condition, scope) === true ? then : otherwise, scope);
  },
  $mergeObjects: (operand, scope) => {
    const parts = (operand as unknown[]).map((each) => evaluate(each, scope));
    return Object.assign({}, ...parts.map((each) => each ?? {}));
  },
  $getField: (operand, scope) => {
    const { field, input } = operand as { field: unknown; input: unknown };
    return (evaluate(input, scope) as Document)[String(evaluate(field, scope))];
  },
  $concatArrays: (operand, scope) =>
    (operand as unknown[]).flatMap((each) => evaluate(each, scope) as unknown[]),
  $slice: (operand, scope) => {
    const [list, count] = operand as [unknown, number];
    const elements = evaluate(list, scope) as unknown[];
    return count < 0 ? elements.slice(count) : elements.slice(0, count);
  },
};

/** The value of an aggregation expression. One that no store uses is refused. */
export function evaluate(expression: unknown, scope: Scope): unknown {
  if (typeof expression === "string" && expression.startsWith("$"))
    return variable(expression, scope);
  if (Array.isArray(expression)) return expression.map((each) => evaluate(each, scope) ?? null);
  if (!isDocument(expression)) return expression;
  const [operator] = Object.keys(expression);
  if (operator?.startsWith("$")) {
    const known = operators[operator];
    if (known === undefined) {
      throw new Error(`the expression ${operator} is not one that the simulated store knows`);
    }
    return known(expression[operator], scope);
  }
  return withFields({}, expression, scope);
}

function variable(name: string, { document, now }: Scope): unknown {
  if (name === "$$NOW") return now;
  if (name === "$$REMOVE") return removed;
  if (name === "$$ROOT") return document;
  if (name.startsWith("$$")) throw new Error(`${name} is not one that the simulated store knows`);
  const [value] = valuesAt(document, name.slice(1));
  return value;
}

/**
 * What a stage `$set` makes of a document. A document that is set into one that is there adds its
 * fields to it, as in an aggregation, and unlike the update operator of that name.
 */
export function withFields(before: Document, fields: Document, scope: Scope): Document {
  const after: Document = { ...before };
  for (const [name, expression] of Object.entries(fields)) {
    if (name.includes(".")) throw new Error("the simulated store sets whole fields in a pipeline");
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
