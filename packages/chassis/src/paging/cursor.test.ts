import { expect, it } from "vitest";
import { readCursor, readLimit, readNumber, readStart, writeCursor, writeNumber } from "./page.ts";

it("reads back what it wrote", () => {
  const cursor = { at: new Date(1_700_000_000_123), id: "po_01" };
  expect(readCursor("payouts", writeCursor("payouts", cursor))).toEqual(cursor);
});

it.each([
  "",
  "x",
  "!!!",
  Buffer.from("1.").toString("base64url"),
  Buffer.from("a.b").toString("base64url"),
  Buffer.from("1700000000123.po_01").toString("base64url"),
  Buffer.from("payouts.1.").toString("base64url"),
  writeCursor("accounts", { at: new Date(1), id: "po_01" }),
  writeCursor("payout", { at: new Date(1), id: "po_01" }),
])("does not accept %j in the list of payouts", (text) => {
  expect(readCursor("payouts", text)).toBeUndefined();
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
  expect(readStart("payouts", "")).toBeUndefined();
  for (const other of ["junk", writeCursor("accounts", { at: new Date(1), id: "acc_1" })]) {
    expect(readStart("payouts", other)).toEqual({
      refused: "INVALID_REQUEST",
      detail: "cursor: must be one that a list returned",
    });
  }
});

it("starts at a number of its own list alone", () => {
  expect(readNumber("entries", "")).toBeUndefined();
  expect(readNumber("entries", writeNumber("entries", 120))).toBe(120);
  const page = writeCursor("entries", { at: new Date(1), id: "7" });
  for (const other of [
    "junk",
    "120",
    writeNumber("lines", 120),
    writeNumber("entries", -1),
    page,
  ]) {
    expect(readNumber("entries", other)).toMatchObject({ refused: "INVALID_REQUEST" });
  }
});
