import { Visitor } from "oxc-parser";
import { type Finding, findingAt, isForTests, type Source } from "./source.ts";

/** A function that needs scrolling is two functions. */
const functionLinesMax = 70;
/** A reviewer asks about a longer file. */
const fileLinesMax = 500;
/** Two files fit beside each other on a screen. */
const commentColumnsMax = 100;

/** Functions that are too long. A test file's `describe` block is no function in this sense. */
export function longFunctions(source: Source): Finding[] {
  const findings: Finding[] = [];
  const measure = ({ start, end }: { start: number; end: number }): void => {
    const lines = source.text.slice(start, end).split("\n").length;
    if (lines <= functionLinesMax) return;
    const message = `a function of ${lines} lines; ${functionLinesMax} at most`;
    findings.push(findingAt(source, start, message));
  };
  if (isForTests(source.path)) return [];
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(source.program);
  return findings;
}

/** Files that are too long; tests may be, for their tables are. */
export function longFiles({ path, text }: Pick<Source, "path" | "text">): Finding[] {
  const lines = text.trimEnd().split("\n").length;
  if (isForTests(path) || lines <= fileLinesMax) return [];
  return [{ path, line: 1, message: `${lines} lines; ${fileLinesMax} at most` }];
}

/** Comments that are too wide. Code is as wide as the formatter leaves it. */
export function wideComments({ path, text }: Pick<Source, "path" | "text">): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const width = [...line].length;
    if (width <= commentColumnsMax || !/^\s*(?:\/\/|\/?\*)/.test(line)) return [];
    return [{ path, line: index + 1, message: `${width} columns; ${commentColumnsMax} at most` }];
  });
}
