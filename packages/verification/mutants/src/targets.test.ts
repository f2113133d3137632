import { readRepository } from "@disburse/tidy/repository.ts";
import { parseSource } from "@disburse/tidy/source.ts";
import { expect, test } from "vitest";
import { importersOf, relatedTests, targetFiles, targets } from "./targets.ts";

const { sources } = readRepository();

test.each(targets)("%s names files that there are", (target) => {
  expect(sources.some(({ path }) => target.test(path))).toBe(true);
});

test("every file of the code that matters is reached by a test", () => {
  const importers = importersOf(sources);
  const paths = targetFiles(sources).map(({ path }) => path);
  expect(paths.filter((path) => relatedTests(path, importers).length === 0)).toEqual([]);
});

const tree = importersOf([
  parseSource("services/quote/src/store.ts", 'import "@disburse/forms/fields.ts";'),
  parseSource("services/quote/src/rpc.ts", 'import type { A } from "./store.ts";'),
  parseSource("services/quote/src/rpc.int.test.ts", 'import "./rpc.ts";'),
  parseSource("services/quote/src/rpc.e2e.test.ts", 'import "./rpc.ts";'),
  parseSource("services/quote/src/other.test.ts", 'import "./refusals.ts";'),
  parseSource("services/payout/src/a.test.ts", 'import "@disburse/quote/rpc.ts";'),
  parseSource("tests/deploy.test.ts", 'import "@disburse/quote/rpc.ts";'),
  parseSource("packages/forms/src/fields.ts", ""),
  parseSource("packages/forms/src/fields.test.ts", 'import "./fields.ts";'),
]);

test("finds the tests that reach a service's file through others, in the service alone", () => {
  const tests = ["services/quote/src/rpc.int.test.ts"];
  expect(relatedTests("services/quote/src/store.ts", tree)).toEqual(tests);
});

test("finds the tests of a package first, then those of what uses it", () => {
  expect(relatedTests("packages/forms/src/fields.ts", tree)).toEqual([
    "packages/forms/src/fields.test.ts",
    "services/quote/src/rpc.int.test.ts",
    "services/payout/src/a.test.ts",
  ]);
});
