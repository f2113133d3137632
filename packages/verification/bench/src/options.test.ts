import { expect, test } from "vitest";
import { measurementNames, readOptions } from "./options.ts";

test("measures everything at full size by default", () => {
  const options = readOptions([]);
  expect([...options.only, "idle"]).toEqual([...measurementNames]);
  expect(options).toMatchObject({ warmUpSeconds: 6, sizes: { small: 1_000, large: 200_000 } });
  expect(options.json).toBeUndefined();
});

test("measures only what is named, as long as is said", () => {
  const options = readOptions(["--only", "read", "--only", "list", "--seconds", "3", "--json=f"]);
  expect([...options.only]).toEqual(["read", "list"]);
  expect(options).toMatchObject({ seconds: 3, json: "f" });
});

test("compares and publishes where that is wanted", () => {
  expect(readOptions([])).toMatchObject({ compare: undefined, publish: false, merchants: 1_000 });
  const options = readOptions(["--compare", "old.json", "--publish"]);
  expect(options).toMatchObject({ compare: "old.json", publish: true });
});

test("is short as a smoke test", () => {
  expect(readOptions(["--smoke"])).toMatchObject({ seconds: 1, rounds: 1 });
});

test.each([
  [["--only", "all"], /there is no all/],
  [["--seconds", "0"], /above zero/],
  [["--seconds", "1.5"], /above zero/],
  [["--fast"], /usage/],
  [["quote"], /usage/],
])("refuses %j", (args, why) => {
  expect(() => readOptions(args)).toThrow(why);
});
