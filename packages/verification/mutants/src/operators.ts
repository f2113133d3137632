import type { Source } from "@disburse/tidy/source.ts";
import { type Expression, type ObjectExpression, type Span, Visitor } from "oxc-parser";

/** One small fault put into one file. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly operator: string;
  /** The part of the file that `replacement` stands for. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const flipped: Readonly<Record<string, string>> = {
  ...{ "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">" },
  ...{ "+": "-", "-": "+", "&&": "||", "||": "&&" },
};

/** Calls whose arguments no test has to see: logs, metrics, spans, indexes, messages of bugs. */
const unobserved = /(?:^|\.)(?:log|logger|metrics?|span|meter)\b|[Ii]ndex|Error$/;
/** Options that change what a query costs or how durable it is, not what it does. */
const unobservedKeys =
  /^(?:projection|hint|batchSize|maxTimeMS|ordered|readConcern|writeConcern|readPreference|signal|cause|unref)$/;

/** Every mutant of a file, in the order of the text. */
export function mutantsOf({ path, text, program }: Source): Mutant[] {
  const mutants: Mutant[] = [];
  const add = (operator: string, { start, end }: Span, replacement: string): void => {
    const line = text.slice(0, start).split("\n").length;
    mutants.push({ path, line, operator, start, end, replacement });
  };
  const textOf = ({ start, end }: Span): string => text.slice(start, end);
  const negate = (test: Expression): void => add("negate a condition", test, `!(${textOf(test)})`);
  const skipped: Span[] = [];
  const isSkipped = ({ start }: Span): boolean =>
    skipped.some((each) => start >= each.start && start < each.end);
  const flip = (node: Span & { left: Span; right: Span; operator: string }): void => {
    const other = flipped[node.operator];
    const isText = node.operator === "+" && /["'`]/.test(textOf(node));
    if (other === undefined || isText || isSkipped(node)) return;
    const between = { start: node.left.end, end: node.right.start };
    const replaced = textOf(between).replace(node.operator, () => other);
    add(`${node.operator} becomes ${other}`, between, replaced);
  };
  const skip = (node: Span & { callee: Span }): void => {
    if (unobserved.test(textOf(node.callee))) skipped.push(node);
  };
  new Visitor({
    CallExpression: skip,
    NewExpression: skip,
    IfStatement(node) {
      negate(node.test);
      if (node.alternate === null) add("drop a guard", node, "");
    },
    ConditionalExpression: ({ test }) => negate(test),
    BinaryExpression: (node) => flip(node as typeof node & { left: Span }),
    LogicalExpression: flip,
    ExpressionStatement(node) {
      const call =
        node.expression.type === "AwaitExpression" ? node.expression.argument : node.expression;
      if (call.type !== "CallExpression" || isSkipped(call)) return;
      if (!unobserved.test(textOf(call.callee))) add("drop a call", node, ";");
    },
    ObjectExpression(node) {
      if (isSkipped(node)) return;
      for (const [name, without, property] of withoutEach(node, text)) {
        if (unobservedKeys.test(name)) skipped.push(property);
        else add(`drop ${name}`, node, without);
      }
    },
    Literal(node) {
      if (typeof node.value === "boolean" && !isSkipped(node))
        add(`${node.value} becomes ${!node.value}`, node, `${!node.value}`);
    },
  }).visit(program);
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** An object literal without each of its properties in turn, with the property and its name. */
function withoutEach(
  { start, end, properties }: ObjectExpression,
  text: string,
): [string, string, Span][] {
  return properties.map((property, at) => {
    const next = properties[at + 1];
    const name = text.slice(property.start, property.end).split(/[:(\s]/)[0] ?? "";
    const after = next === undefined ? property.end : next.start;
    return [name, text.slice(start, property.start) + text.slice(after, end), property];
  });
}

/** A file's text with a mutant in it. */
export function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The lines that a mutant changes, before and after, as a diff shows them. */
export function diffOf(text: string, mutant: Mutant): string {
  const [before, after] = [text.split("\n"), mutated(text, mutant).split("\n")];
  const first = before.findIndex((line, at) => line !== after[at]);
  const most = Math.min(before.length, after.length) - first;
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return [
    ...before.slice(first, before.length - same).map((line) => `    -${line}`),
    ...after.slice(first, after.length - same).map((line) => `    +${line}`),
  ].join("\n");
}
