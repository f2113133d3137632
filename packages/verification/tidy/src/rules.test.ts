import { expect, test } from "vitest";
import {
  badNames,
  clocksInRules,
  defaultExports,
  dialectInComments,
  environmentReads,
  floats,
  markersLeft,
  moduleMocks,
} from "./banned.ts";
import { redrawn } from "./drawing.ts";
import { forbiddenImports } from "./imports.ts";
import {
  brokenLinks,
  fullFolders,
  importCircles,
  missingFiles,
  undocumentedExports,
} from "./layout.ts";
import { longFiles, longFunctions, wideComments } from "./sizes.ts";
import { parseSource } from "./source.ts";
import { disordered } from "./subjects.ts";

const rule = "services/quote/src/quotes/rules/fee.ts";
const rpc = "services/quote/src/rpc.ts";

test.each([
  // Who may know which package.
  ["packages/kernel/src/a.ts", "@disburse/forms/a.ts", false],
  ["packages/forms/src/a.ts", "@disburse/kernel/a.ts", true],
  ["packages/forms/src/a.ts", "@disburse/chassis/a.ts", false],
  ["packages/chassis/src/a.ts", "@disburse/contracts/a.ts", true],
  ["packages/chassis/src/a.ts", "@disburse/forms/a.ts", false],
  ["packages/chassis/src/a.ts", "@disburse/embedded/a.ts", false],
  ["packages/verification/testkit/src/a.ts", "@disburse/embedded/a.ts", true],
  ["packages/standalone/src/a.ts", "@disburse/embedded/a.ts", true],
  ["packages/standalone/src/a.ts", "@disburse/quote/main.ts", true],
  ["packages/standalone/src/a.ts", "@disburse/quote/migrations.ts", true],
  ["packages/verification/simulation/src/a.ts", "@disburse/quote/rpc.ts", true],
  ["packages/verification/simulation/src/a.ts", "@disburse/gateway/main.ts", false],
  ["packages/standalone/src/a.ts", "@disburse/quote/store.ts", false],
  ["packages/sdk/src/a.ts", "@disburse/kernel/a.ts", false],
  ["services/quote/src/main.ts", "@disburse/standalone/a.ts", false],
  ["services/quote/src/a.ts", "@disburse/name-matcher/a.ts", false],
  ["services/compliance/src/a.ts", "@disburse/name-matcher/a.ts", true],
  ["packages/name-matcher/src/a.ts", "@disburse/kernel/a.ts", false],
  [rpc, "@disburse/forms/a.ts", true],
  [rpc, "@disburse/payout/main.ts", false],
  [rpc, "@disburse/embedded/a.ts", false],
  // The test kit is for tests, beside the code or in their own folder.
  [rpc, "@disburse/testkit/engine.ts", false],
  ["services/quote/src/rpc.int.test.ts", "@disburse/testkit/engine.ts", true],
  ["services/quote/src/test-platform.ts", "@disburse/testkit/engine.ts", true],
  ["tests/journey.e2e.test.ts", "@disburse/testkit/engine.ts", true],
  ["tests/journey.e2e.test.ts", "@disburse/quote/store.ts", false],
  // Inside a workspace.
  [rpc, "./quotes/rules/fee.ts", true],
  [rpc, "./main.ts", false],
  [rpc, "../../payout/src/store.ts", false],
  ["services/gateway/src/routes/a/b/c.ts", "../../../clients.ts", false],
  ["services/quote/src/store.ts", "./quotes/rules/fee.ts", true],
  ["services/quote/src/store.ts", "./rpc.ts", false],
  ["services/quote/src/quote-store.ts", "./events.ts", false],
  ["services/gateway/src/store/a.ts", "../routes/a.ts", false],
  ["services/quote/src/rpc.int.test.ts", "./main.ts", true],
  // Rules.
  [rule, "./corridor.ts", true],
  [rule, "../../corridors/rules/corridor.ts", true],
  [rule, "@disburse/kernel/money.ts", true],
  [rule, "../store.ts", false],
  [rule, "@disburse/chassis/log.ts", false],
  [rule, "@disburse/contracts/a_pb.ts", false],
  [rule, "@bufbuild/protobuf", false],
  [rule, "mongodb", false],
  [rule, "node:fs/promises", false],
  [rule, "node:timers/promises", false],
  [rule, "node:util", true],
  [rule, "ibantools", true],
  ["services/quote/src/quotes/rules/fee.test.ts", "node:fs", true],
  ["services/quote/src/corridors/rules/fee.ts", "../../quotes/rules/quote.ts", false],
  ["services/quote/src/corridors/rules/fee.ts", "../store.ts", false],
  ["services/compliance/src/screening/rules/screening.ts", "@disburse/name-matcher/a.ts", true],
  ["packages/name-matcher/src/index/hash-keys.ts", "../config.ts", true],
  ["packages/name-matcher/src/index/hash-keys.ts", "../measure/recall.ts", false],
  ["packages/name-matcher/src/index/hash-keys.ts", "node:fs", false],
  ["packages/name-matcher/src/measure/recall.ts", "node:fs", true],
  [rpc, "mongodb", true],
])("%s imports %s: %s", (path, specifier, allowed) => {
  for (const text of [
    `import { a } from "${specifier}";`,
    `import type { a } from "${specifier}";`,
    `export { a } from "${specifier}";`,
    `await import("${specifier}");`,
  ]) {
    expect(forbiddenImports(parseSource(path, text)), text).toHaveLength(allowed ? 0 : 1);
  }
});

test.each([
  [rule, 'import { createHash } from "node:crypto";', true],
  [rule, 'import { randomUUID } from "node:crypto";', false],
  [rule, 'import { createHash, randomBytes } from "node:crypto";', false],
  [rule, 'import { isIP } from "node:net";', true],
  [rule, 'import { connect } from "node:net";', false],
  [rpc, 'import { randomUUID } from "node:crypto";', true],
])("%s takes from a module: %s: %s", (path, text, allowed) => {
  expect(forbiddenImports(parseSource(path, text))).toHaveLength(allowed ? 0 : 1);
});

test.each([
  [rule, "Date.now()", 1],
  [rule, "const now = Date.now;", 1],
  [rule, "new Date()", 1],
  [rule, "new Date(at)", 0],
  [rule, "Math.random()", 1],
  [rule, "crypto.randomUUID()", 1],
  [rule, "performance.now()", 1],
  [rule, "randomBytes(3)", 0],
  [rpc, "Date.now()", 0],
  ["packages/name-matcher/src/matcher.ts", "Math.random()", 1],
  ["packages/name-matcher/src/measure/main.ts", "performance.now()", 0],
  ["services/quote/src/quotes/rules/fee.test.ts", "new Date()", 0],
])("%s: %s reads the clock or throws dice %i times", (path, text, count) => {
  expect(clocksInRules(parseSource(path, text))).toHaveLength(count);
});

test.each([
  [rpc, "process.env.PORT", 1],
  [rpc, 'process["env"].PORT', 1],
  [rpc, "process.exit", 0],
  ["services/quote/src/config.ts", "process.env.PORT", 0],
  ["services/quote/src/quotes/rules/config.ts", "process.env.PORT", 1],
  ["packages/chassis/src/service.ts", "process.env.PORT", 0],
  ["packages/chassis/src/log.ts", "process.env.PORT", 1],
  ["packages/embedded/src/engine.ts", "process.env.PORT", 0],
  ["packages/kernel/src/money.ts", "process.env.PORT", 1],
  ["scripts/node.mjs", "process.env.PORT", 0],
])("%s: %s reads the environment unduly %i times", (path, text, count) => {
  expect(environmentReads(parseSource(path, text))).toHaveLength(count);
});

test.each([
  ["a.ts", "parseFloat(text)", 1],
  ["a.ts", "Number.parseFloat(text)", 1],
  ["a.ts", "amount.toFixed(2)", 1],
  ["a.ts", "f(x).toFixed(2)", 1],
  ["a.ts", "parseAmount(text)", 0],
  ["a.ts", '"toFixed"', 0],
])("%s: %s uses a float %i times", (path, text, count) => {
  expect(floats(parseSource(path, text))).toHaveLength(count);
});

test.each([
  ['vi.mock("./a.ts")', 1],
  ['vi.doMock(import("./a.ts"), make)', 1],
  ["vi.fn()", 0],
  ["vi.mocked(part)", 0],
])("%s mocks a module %i times", (text, count) => {
  expect(moduleMocks(parseSource("a.test.ts", text))).toHaveLength(count);
});

test.each([
  ["a.ts", "export default 1;", 1],
  ["a.ts", "const a = 1; export { a as default };", 1],
  ["a.ts", "export const a = 1;", 0],
  ["vitest.config.ts", "export default {};", 0],
])("%s: %s has %i default exports", (path, text, count) => {
  expect(defaultExports(parseSource(path, text))).toHaveLength(count);
});

const lines = (count: number): string => "\n".repeat(count - 1);

test.each([
  ["a.ts", `function f() {${lines(70)}}`, 0],
  ["a.ts", `function f() {${lines(71)}}`, 1],
  ["a.ts", `const f = () => {${lines(71)}};`, 1],
  ["a.ts", `class A { f() {${lines(71)}} }`, 1],
  ["a.test.ts", `function f() {${lines(71)}}`, 0],
])("%s has a function that is too long: case %#", (path, text, count) => {
  expect(longFunctions(parseSource(path, text))).toHaveLength(count);
});

test.each([
  ["a.ts", 500, 0],
  ["a.ts", 501, 1],
  ["a.test.ts", 501, 0],
])("%s of %i lines is too long: %i", (path, count, findings) => {
  expect(longFiles({ path, text: `${"a\n".repeat(count)}` })).toHaveLength(findings);
});

test.each([
  [`// ${"a".repeat(97)}`, 0],
  [`// ${"a".repeat(98)}`, 1],
  [` * ${"é".repeat(97)}`, 0],
  [` * ${"é".repeat(98)}`, 1],
  [`/** ${"a".repeat(97)}`, 1],
  [`const text = "${"a".repeat(100)}";`, 0],
])("a comment is too wide: case %#", (text, count) => {
  expect(wideComments({ path: "a.ts", text })).toHaveLength(count);
});

test.each([
  ["services/quote/src/quotes/rules/quote-math.ts", 0],
  ["vitest.config.ts", 0],
  ["proto/disburse/v1/quote.int.test.ts", 0],
  ["packages/kernel/src/quoteMath.ts", 1],
  ["packages/kernel/src/quote_math.ts", 1],
  ["packages/kernel/src/utils.ts", 1],
  ["packages/kernel/src/date-helpers.ts", 1],
  ["packages/common/src/date.ts", 1],
  ["packages/kernel/src/managed.ts", 0],
])("the name %s is bad: %i", (path, count) => {
  expect(badNames(path)).toHaveLength(count);
});

test.each([
  [`// ${"TO"}DO: later`, 1],
  [`${"FIX"}ME`, 1],
  ["method and hackathon", 0],
  ["the code XXX of ISO 4217 is no currency", 0],
])("%s leaves a marker: %i", (text, count) => {
  expect(markersLeft({ path: "a.md", text })).toHaveLength(count);
});

test.each([
  [`// The merchant is ${"to"}ld.`, 1],
  [` * ${"no"}body asks`, 1],
  [`const url = read("${"to"}ld");`, 0],
  ["/** Absent like `told`. */", 0],
  ["/** Sent to the merchant. */", 0],
])("%s speaks a private dialect: %i", (text, count) => {
  expect(dialectInComments({ path: "a.ts", text })).toHaveLength(count);
});

test("a finding names its line", () => {
  expect(floats(parseSource("a.ts", "\n\nx.toFixed(2);"))).toMatchObject([
    { path: "a.ts", line: 3 },
  ]);
});

test("a file that does not parse is named", () => {
  expect(() => parseSource("a.ts", "const = 1;")).toThrow("a.ts");
});

const quote = (file: string, text: string) => parseSource(`services/quote/src/${file}`, text);

test.each([
  [[quote("a.ts", 'import { b } from "./b.ts";'), quote("b.ts", "export const b = 1;")], 0],
  [[quote("a.ts", 'import { b } from "./b.ts";'), quote("b.ts", 'import { a } from "./a.ts";')], 1],
  [
    [
      quote("a.ts", 'import type { B } from "./b.ts";'),
      quote("b.ts", 'export { c } from "@disburse/quote/c.ts";'),
      quote("c.ts", 'await import("./a.ts");'),
    ],
    1,
  ],
])("files import each other in a circle: case %#", (sources, count) => {
  expect(importCircles(sources)).toHaveLength(count);
});

test.each([
  [20, "quotes/file.ts", 0],
  [21, "quotes/file.ts", 1],
  [21, "quotes/file.test.ts", 0],
  [21, "quotes/test-file.ts", 0],
])("%i files such as %s fill a folder: %i", (files, name, count) => {
  const sources = Array.from({ length: files }, (_, index) =>
    quote(name.replace("file", `file-${index}`), ""),
  );
  expect(fullFolders(sources)).toHaveLength(count);
});

test("a test of the platform names files that there are", () => {
  const crash = parseSource("tests/a.e2e.test.ts", 'crashAt("services/quote/src/store.ts");');
  expect(missingFiles([crash])).toHaveLength(1);
  expect(missingFiles([crash, quote("store.ts", "")])).toEqual([]);
});

test.each([
  ["/** What it is. */\nexport const a = 1;", 0],
  ["export const a = 1;", 1],
  ["// What it is.\nexport const a = 1;", 1],
  ["/* What it is. */\nexport interface A {}", 1],
  ["/** Of another. */\nconst b = 1;\nexport type A = typeof b;", 1],
  ["/** Both. */\nexport function a(): void;\nexport function a(b?: number): void {}", 0],
])("%j lacks %i docstrings", (text, count) => {
  expect(undocumentedExports([quote("a.ts", text)])).toHaveLength(count);
});

test.each([
  [19, 0],
  [18, 1],
])("lets one export in twenty lack a docstring: %i others have one", (documented, count) => {
  const types = Array.from(
    { length: documented },
    (_, i) => `/** A type. */ export type A${i} = 1;`,
  );
  const text = [...types, "export const bare = 1;"].join("\n");
  expect(undocumentedExports([quote("a.ts", text)])).toHaveLength(count);
});

test.each([
  [{ ledger: [], payouts: ["ledger"] }, 0],
  [{ payouts: ["ledger"], ledger: [] }, 1],
  [{ ledger: ["ledger"] }, 1],
  [{ ledger: ["rails"] }, 1],
])("an order of subjects with %j is wrong %i times", (payout, count) => {
  expect(disordered({ payout })).toHaveLength(count);
});

test("draws a service's subjects with the imports between them, and nothing else", () => {
  const sources = [
    quote("main.ts", 'import "./quotes/rpc.ts";'),
    quote("quotes/rpc.ts", 'import "./store.ts"; import "../corridors/store.ts";'),
    quote("quotes/store.ts", 'import type { A } from "../corridors/rules/a.ts";'),
    quote("quotes/store.test.ts", 'import "../corridors/store.ts";'),
    quote("corridors/store.ts", ""),
    quote("corridors/rules/a.ts", ""),
  ];
  const page =
    "Before.\n<!-- drawn by npm run architecture -->\nold\n<!-- end of the drawing -->\nAfter.";
  expect(redrawn(page, sources, ["quote"])).toBe(`Before.
<!-- drawn by npm run architecture -->

### quote

\`\`\`mermaid
flowchart TD
  corridors["corridors: 2 files"]
  quotes["quotes: 2 files"]
  quotes -->|2| corridors
\`\`\`

<!-- end of the drawing -->
After.`);
});

test("a page links to pages that are there", () => {
  const text = "See [a](b.md#part), [c](../README.md)\nand [d](lost.md), [web](https://x.y/z.md).";
  const files = [
    { path: "docs/a.md", text },
    { path: "docs/b.md", text: "" },
    { path: "README.md", text: "[a](docs/a.md)" },
    { path: "a.ts", text: "[a](lost.md)" },
  ];
  expect(brokenLinks(files)).toEqual([
    { path: "docs/a.md", line: 2, message: "there is no lost.md" },
  ]);
});
