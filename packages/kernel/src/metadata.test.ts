import { expect, it } from "vitest";
import { isSameMetadata, metadataKey, metadataOf, storedMetadata } from "./metadata.ts";

const isKey = (text: string) => new RegExp(`^${metadataKey}$`).test(text);

it.each(["a", "order_id", "_x", "a.b:c-d", "9", "a".repeat(40), "constructor"])(
  "%j is a key",
  (text) => {
    expect(isKey(text)).toBe(true);
  },
);

it.each(["", "a b", "a[b]", "é", "-a", ".a", "a".repeat(41), "__proto__", "a\n"])(
  "%j is no key",
  (text) => {
    expect(isKey(text)).toBe(false);
  },
);

it("is stored by its keys and shown as it was sent", () => {
  const sent = { b: "2", a: "1", constructor: "3" };
  const stored = storedMetadata(sent);
  expect(stored.map(({ k }) => k)).toEqual(["a", "b", "constructor"]);
  expect(metadataOf(stored)).toEqual(sent);
  expect(metadataOf(undefined)).toEqual({});
});

it("is the same in whatever order, and other with another value or key", () => {
  expect(isSameMetadata({ a: "1", b: "2" }, { b: "2", a: "1" })).toBe(true);
  expect(isSameMetadata({ a: "1" }, { a: "2" })).toBe(false);
  expect(isSameMetadata({ a: "1" }, { b: "1" })).toBe(false);
  expect(isSameMetadata({ a: "1" }, {})).toBe(false);
});
