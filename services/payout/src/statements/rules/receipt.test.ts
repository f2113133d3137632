import { describe, expect, it } from "vitest";
import { canonicalJson } from "./receipt.ts";

describe("canonical JSON (RFC 8785)", () => {
  it.each([
    [{ b: "1", a: "2" }, '{"a":"2","b":"1"}'],
    [{ a: [{ d: "", c: "x" }] }, '{"a":[{"c":"x","d":""}]}'],
    [{ a: '€\u001f\n"\\/' }, '{"a":"€\\u001f\\n\\"\\\\/"}'],
    [[], "[]"],
  ])("%j is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
