import { afterAll, beforeAll, expect, it } from "vitest";
import { formKey } from "../lists/rules/retained.ts";
import {
  indexOf,
  personEntry,
  requestFor,
  type TestSubjects,
  testSubjects,
} from "../test-subjects.ts";
import { easedBy } from "./loop.ts";
import { screenSubject } from "./subject-screening.ts";

const [one, two] = [personEntry("1", "Harlan Mosswick"), personEntry("2", "Harlan Mosswick")];
const onOneList = indexOf("1", [one, two, personEntry("3", "Ulvanka Drostig")]);
const index: typeof onOneList = {
  ...onOneList,
  screen: async (request) => {
    const found = await onOneList.screen(request);
    const listOf = ({ entryUid }: (typeof found.hits)[number]) =>
      entryUid === two.uid ? "other" : "test";
    return { ...found, hits: found.hits.map((hit) => ({ ...hit, list: listOf(hit) })) };
  },
};
const request = requestFor("ben_1", "Harlan Mosswick");

let test: TestSubjects;
beforeAll(async () => {
  test = await testSubjects(index);
  const actor = { kind: "service", id: "beneficiary" } as const;
  await screenSubject(test.deps, request, { operationId: "1", actor });
});
afterAll(() => test.end());

it("a party that two lists stop is eased only where both no longer do", async () => {
  const alone = await easedBy(test.deps, "test", [one]);
  expect([alone.subjects, [...alone.forms]]).toEqual([[], []]);
  const both = await easedBy(test.deps, "test", [one], [{ list: "other", forms: [two] }]);
  expect(both.subjects).toEqual([{ ...request.subject, from: "block", to: "clear" }]);
  expect([...both.forms]).toEqual([formKey(one)]);
});
