import { expect, test } from "vitest";
import { tooRecentForDatabase } from "./database-versions.ts";
import { redrawn } from "./drawing.ts";
import { forbiddenImports } from "./imports.ts";
import { replacedProtoWords, replacedWords } from "./names.ts";
import { parseSource } from "./source.ts";
import { disordered } from "./subjects.ts";

const rule = "services/quote/src/quotes/rules/fee.ts";
const rpc = "services/quote/src/rpc.ts";

test.each([
  // Imports between packages.
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
  // Folders of chassis: only lower ones, and the top-level files import no folder.
  ["packages/chassis/src/rpc/a.ts", "../identity/a.ts", true],
  ["packages/chassis/src/rpc/a.ts", "../log.ts", true],
  ["packages/chassis/src/identity/a.ts", "../rpc/a.ts", false],
  ["packages/chassis/src/mongo/a.ts", "../service/a.ts", false],
  ["packages/chassis/src/utilities/a.ts", "../log.ts", false],
  ["packages/chassis/src/log.ts", "./call-context.ts", true],
  ["packages/chassis/src/log.ts", "./tracing/a.ts", false],
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
  ["services/payout/src/payouts/rules/a.ts", "@disburse/ledger/rules/account.ts", true],
  ["services/payout/src/payouts/rules/a.ts", "@disburse/ledger/writer.ts", false],
  ["services/payout/src/payouts/store.ts", "@disburse/ledger/writer.ts", true],
  ["services/quote/src/quotes/store.ts", "@disburse/ledger/writer.ts", false],
  ["packages/ledger/src/writer.ts", "@disburse/payout/main.ts", false],
  ["packages/verification/bench/src/a.ts", "@disburse/payout/rpc.ts", false],
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
  ["a variable", "const room = 1;", ["room"]],
  [
    "a variable taken from a property",
    "const { room: free, [key]: house = 1 } = found;",
    ["house"],
  ],
  ["the rest of a pattern", "const [first, ...strangers] = all;", ["strangers"]],
  [
    "a function and its parameters",
    "function lookNow(door: string, told = 1) {}",
    ["lookNow", "door", "told"],
  ],
  ["an arrow's parameter", "all.map((fate) => fate.id);", ["fate"]],
  [
    "a type and its members",
    "type Doubt = { owed: string; look(): void };",
    ["Doubt", "owed", "look"],
  ],
  ["a class and its members", "class House { #room = 1; doubt() {} }", ["House", "room", "doubt"]],
  ["a property of an object", "const one = { event_owed: 1, isOwed };", ["event_owed", "isOwed"]],
  ["a stored field in a filter", 'const one = { "doubt.since": 1 };', ["doubt.since"]],
  ["an import under another name", 'import { a as look } from "a";', ["look"]],
  ["no use of a name that others declare", 'import { look } from "a"; look(b.house);', []],
  ["no part of a longer word", "const [threshold, bedroom, rooms1] = warehouse;", ["rooms1"]],
  ["no comment and no text", '// house\nconst one = "house";', []],
  [
    "no public name",
    "const one = { doubt_percent: 1, house_number: 2, lookUp, latinLookalike };",
    [],
  ],
])("replaced words are found in %s", (_what, text, expected) => {
  const found = replacedWords(parseSource("packages/kernel/src/a.ts", text));
  expect(found.map(({ message }) => message.split(":")[0])).toEqual(expected);
});

test("replaced words are found in protos, but not in their comments", () => {
  const text =
    'message PayoutInDoubt { // house\n  string owed_by = 1; // in doubt\n}\nimport "room";';
  const found = replacedProtoWords("proto/a.proto", text);
  expect(found.map(({ line, message }) => `${line} ${message}`)).toEqual([
    "1 PayoutInDoubt: write exception or unknown outcome",
    "2 owed_by: write pending",
  ]);
});

test("a file that does not parse is named", () => {
  expect(() => parseSource("a.ts", "const = 1;")).toThrow("a.ts");
});

const quote = (file: string, text: string) => parseSource(`services/quote/src/${file}`, text);

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

test.each([
  [rpc, '[{ $set: { a: { $getField: { field: "$_id", input: of } } } }]', ["$getField"]],
  [rpc, "{ $percentile: {} }; { $percentiles: {} }", ["$percentile"]],
  [rpc, "await client.bulkWrite(models)", ["client.bulkWrite"]],
  [rpc, "await collection.bulkWrite(models); [{ $indexOfArray: [ids, id] }]", []],
  ["packages/chassis/src/mongo/database.ts", "client.bulkWrite(models)", []],
  ["services/quote/src/store.int.test.ts", "{ $median: {} }", []],
])("%s runs on MongoDB 6.0 with %s: %s", (path, text, found) => {
  const messages = found.map((each) => `${each} needs a database later than MongoDB 6.0`);
  expect(tooRecentForDatabase({ path, text }).map(({ message }) => message)).toEqual(messages);
});
