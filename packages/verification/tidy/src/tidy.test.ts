import { describe, expect, test } from "vitest";
import { redrawn } from "./drawing.ts";
import { exceptions } from "./exceptions.ts";
import { broken, houseRules, needless } from "./house-rules.ts";
import { readRepository } from "./repository.ts";
import { disordered, subjects } from "./subjects.ts";

const repository = readRepository();

test("sees the sources of every workspace", () => {
  const paths = repository.sources.map(({ path }) => path);
  for (const path of ["packages/kernel/src/money.ts", "services/payout/src/main.ts"]) {
    expect(paths).toContain(path);
  }
});

describe.each(Object.entries(houseRules))("house rule: %s", (rule, find) => {
  const findings = find(repository);

  test("is kept", () => expect(broken(rule, findings)).toEqual([]));

  test("has no exception that nothing needs", () => expect(needless(rule, findings)).toEqual([]));
});

test.each(exceptions)("the exception of $path is to a rule there is", ({ rule }) => {
  expect(houseRules).toHaveProperty([rule]);
});

test("the order of subjects has no circle", () => expect(disordered(subjects)).toEqual([]));

test("ARCHITECTURE.md draws the imports between subjects that there are", () => {
  const page = repository.files.find(({ path }) => path === "docs/ARCHITECTURE.md")?.text ?? "";
  const stale = page !== redrawn(page, repository.sources);
  expect(stale && "stale: run `npm run architecture` and commit what it changes").toBe(false);
});
