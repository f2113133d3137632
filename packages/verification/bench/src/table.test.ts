import { expect, test } from "vitest";
import { count, table } from "./table.ts";

test("lines up the columns of a Markdown table", () => {
  expect(
    table(
      ["name", "n"],
      [
        ["a", "1,000"],
        ["longer", "2"],
      ],
    ),
  ).toBe(
    ["| name   |     n |", "| ------ | ----: |", "| a      | 1,000 |", "| longer |     2 |"].join(
      "\n",
    ),
  );
});

test.each([
  [1_499.6, "1,500"],
  [0, "0"],
  [null, "–"],
  [undefined, "–"],
])("shows %j as %j", (value, shown) => {
  expect(count(value)).toBe(shown);
});
