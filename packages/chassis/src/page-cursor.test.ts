import { expect, it } from "vitest";
import { readCursor, writeCursor } from "./page-cursor.ts";

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
])("does not take %j", (text) => {
  expect(readCursor(text)).toBeUndefined();
});
