import { expect, it } from "vitest";
import { readFeedCursor, writeFeedCursor } from "./feed-store.ts";

const written = (text: string): string => Buffer.from(text).toString("base64url");

it.each([0, 1, 999_999_999_999_999])("reads the position %i that it wrote", (position) => {
  expect(readFeedCursor("mer_1", writeFeedCursor("mer_1", position))).toBe(position);
});

it("starts at the beginning without a cursor", () => {
  expect(readFeedCursor("mer_1", "")).toBe(0);
});

it.each([
  ["text of no form", "x"],
  ["bytes that are no text", written("\u0000\u00ff")],
  ["another merchant's", writeFeedCursor("mer_2", 5)],
  ["no merchant's", written("/5")],
  ["a position with a sign", written("mer_1/-5")],
  ["a position with zeros before it", written("mer_1/05")],
  ["a position that no feed reaches", written("mer_1/9999999999999999")],
  ["something behind it", `${writeFeedCursor("mer_1", 5)}!`],
  ["a page's cursor", written("1795173961000.whd_1")],
])("refuses %s", (_what, text) => {
  expect(readFeedCursor("mer_1", text)).toMatchObject({
    refused: "INVALID_REQUEST",
    detail: "after: must be the next_cursor of an earlier response",
  });
});
