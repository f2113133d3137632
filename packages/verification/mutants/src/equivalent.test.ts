import { readRepository } from "@disburse/tidy/repository.ts";
import { parseSource } from "@disburse/tidy/source.ts";
import { expect, test } from "vitest";
import { equivalents, isEquivalent } from "./equivalent.ts";
import { mutantsOf } from "./operators.ts";

const { sources } = readRepository();

test.each(equivalents)(
  "$path has a mutant that is no fault: $operator",
  ({ path, operator, line }) => {
    const source = sources.find((each) => each.path === path);
    const found = source === undefined ? [] : mutantsOf(source);
    const named = found.filter((each) => source !== undefined && isEquivalent(each, source));
    expect(named.map((each) => each.operator)).toContain(operator);
    expect(source?.text).toContain(line);
  },
);

test("knows no other mutant of such a file, nor the same one elsewhere", () => {
  const [{ path, line }] = equivalents as [(typeof equivalents)[number]];
  const text = `for (;;) {\n${line}\n}`;
  const operators = (at: string) => {
    const source = parseSource(at, text);
    const found = mutantsOf(source).filter((mutant) => isEquivalent(mutant, source));
    return found.map(({ operator }) => operator);
  };
  expect(operators(path)).toEqual(["> becomes >="]);
  expect(operators("packages/name-matcher/src/other.ts")).toEqual([]);
});
