import { expect, test } from "vitest";
import { readWebhookOptions, scenarioNames } from "./options.ts";

test("measures everything briefly by default", () => {
  const { only, sizes } = readWebhookOptions([]);
  expect([...only]).toEqual([...scenarioNames]);
  expect(sizes).toMatchObject({ steadySeconds: 20, waiting: 5_000, dueAtOnce: 10_000 });
  expect(readWebhookOptions(["--long"]).sizes).toMatchObject({
    ...{ steadySeconds: 300, rounds: 3, waiting: 50_000, dueAtOnce: 100_000 },
  });
});

test("measures only what is named", () => {
  const options = readWebhookOptions(["--only", "a,F", "--json", "f"]);
  expect([...options.only]).toEqual(["A", "F"]);
  expect(options.json).toBe("f");
});

test.each([
  [["--only", "G"], /there is no G/],
  [["--only", ""], /there is no/],
  [["--fast"], /usage/],
])("refuses %j", (args, why) => {
  expect(() => readWebhookOptions(args)).toThrow(why);
});
