import { expect, test } from "vitest";
import { measurementNames, readOptions } from "./options.ts";

test("measures everything at full size by default", () => {
  const options = readOptions([]);
  expect([...options.only]).toEqual([...measurementNames]);
  expect(options).toMatchObject({ warmUpSeconds: 6, sizes: { small: 1_000, large: 200_000 } });
  expect(options).toMatchObject({ history: 2_000 });
  expect(options.lifecycleSeconds).toBeGreaterThanOrEqual(30);
  expect(options.json).toBeUndefined();
});

test("measures only the named scenarios, for the given time", () => {
  const options = readOptions(["--only", "read", "--only", "list", "--seconds", "3", "--json=f"]);
  expect([...options.only]).toEqual(["read", "list"]);
  expect(options).toMatchObject({ seconds: 3, lifecycleSeconds: 3, json: "f" });
});

test("takes a number of merchants and of their payouts", () => {
  const options = readOptions(["--merchants", "20", "--history=50"]);
  expect(options).toMatchObject({ merchants: 20, history: 50 });
});

test("is short as a smoke test", () => {
  expect(readOptions(["--smoke"])).toMatchObject({ seconds: 1, rounds: 1 });
});

test.each([
  [["--only", "all"], /--only: all is not one of/],
  [["--seconds", "0"], /above zero/],
  [["--seconds", "1.5"], /above zero/],
  [["--history", "0"], /above zero/],
  [["--help"], /usage/],
  [["--fast"], /usage/],
  [["quote"], /usage/],
])("refuses %j", (args, why) => {
  expect(() => readOptions(args)).toThrow(why);
});
