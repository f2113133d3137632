import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { csvFile } from "./csv-file.ts";

/** Returns a file of five rows in pages of two, and the cursors of the pages that were loaded. */
async function fileOf(rowsMax?: number) {
  const loaded: string[] = [];
  const file = await csvFile({
    columns: ["n"],
    load: async (cursor) => {
      loaded.push(cursor);
      const first = Number(cursor);
      return { first, nextCursor: first + 2 < 5 ? String(first + 2) : "" };
    },
    rowsOf: ({ first }) => [first, first + 1].filter((n) => n < 5).map((n) => ({ n: String(n) })),
    ...(rowsMax !== undefined && { rowsMax }),
  });
  return [(await text(file)).split("\r\n").join(" "), loaded];
}

it.each([
  [undefined, "n 0 1 2 3 4 ", ["", "2", "4"]],
  [5, "n 0 1 2 3 4 ", ["", "2", "4"]],
  [4, "n 0 1 2 3 ", ["", "2"]],
  [3, "n 0 1 2 ", ["", "2"]],
])("at most %s rows: %s", async (rowsMax, rows, loaded) => {
  expect(await fileOf(rowsMax)).toEqual([rows, loaded]);
});
