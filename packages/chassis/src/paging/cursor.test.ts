import { expect, it } from "vitest";
import { readCursor, readLimit, readStart, writeCursor } from "./page.ts";

it("reads back what it wrote", () => {
  const cursor = { at: new Date(1_700_000_000_123), id: "po_01" };
  expect(readCursor(writeCursor(cursor))).toEqual(cursor);
});

it.each([
  "",
  "x",
  "!!!",
  Buffer.from("1.").toString("base64url"),
  Buffer.from("a.b").toString("base64url"),
])("does not accept %j", (text) => {
  expect(readCursor(text)).toBeUndefined();
});

it.each([
  [0, 20],
  [1, 1],
  [100, 100],
  [101, undefined],
  [-1, undefined],
])("a limit of %i is %s", (asked, limit) => {
  if (limit !== undefined) expect(readLimit(asked)).toBe(limit);
  else expect(readLimit(asked)).toMatchObject({ refused: "INVALID_REQUEST" });
});

it("starts at the newest without a cursor, and refuses a malformed one", () => {
  expect(readStart("")).toBeUndefined();
  expect(readStart("junk")).toMatchObject({ refused: "INVALID_REQUEST" });
});
