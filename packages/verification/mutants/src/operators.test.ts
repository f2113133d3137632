import { parseSource } from "@disburse/tidy/source.ts";
import { expect, test } from "vitest";
import { diffOf, mutantsOf, mutated } from "./operators.ts";

const path = "services/quote/src/a.ts";
const texts = (text: string): string[] =>
  mutantsOf(parseSource(path, text)).map((mutant) => mutated(text, mutant));

test.each([
  ["a === b;", ["a !== b;"]],
  ["a < b;", ["a <= b;"]],
  ["a - 1;", ["a + 1;"]],
  ['a + "b";', []],
  ["a && b;", ["a || b;"]],
  ["if (a) return;", ["", "if (!(a)) return;"]],
  [
    "if (a) b(); else c();",
    ["if (!(a)) b(); else c();", "if (a) ; else c();", "if (a) b(); else ;"],
  ],
  ["x = a ? 1 : 2;", ["x = !(a) ? 1 : 2;"]],
  ["await a();", [";"]],
  ["x = true;", ["x = false;"]],
  ["f = { a: 1, b };", ["f = { b };", "f = { a: 1,  };"]],
  ["x = find({ a: { $ne: 1 } });", ["x = find({  });", "x = find({ a: {  } });"]],
])("%s has the mutants %j", (text, expected) => {
  const source = text.includes("return") ? `function f() { ${text} }` : text;
  const found = texts(source).map((each) => each.replace(/^function f\(\) \{ (.*) \}$/, "$1"));
  expect(found.sort()).toEqual([...expected].sort());
});

test.each([
  "log.info({ id });",
  "throw new RangeError(a + 1);",
  "db.createIndex({ a: 1 }, { unique: true });",
  "x = find(a, { projection: { b: 1 } });",
])("leaves alone what no test has to observe: %s", (text) => {
  expect(texts(text)).toEqual([]);
});

test("names the line, and shows it before and after", () => {
  const text = "const a = 1;\nconst b = a < 2;\n";
  const [mutant] = mutantsOf(parseSource(path, text));
  if (mutant === undefined) throw new Error("no mutant");
  expect(mutant).toMatchObject({ path, line: 2, operator: "< becomes <=" });
  expect(diffOf(text, mutant)).toBe("    -const b = a < 2;\n    +const b = a <= 2;");
});
