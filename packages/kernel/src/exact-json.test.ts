import { expect, it } from "vitest";
import { ExactNumber, exactNumber, exactValue, parseExactJson } from "./exact-json.ts";

it("keeps the digits of numbers as they were written", () => {
  const read = parseExactJson('{"a":9007199254740993,"b":[1e400,0.10],"c":"1"}');
  expect(read).toEqual({
    a: new ExactNumber("9007199254740993"),
    b: [new ExactNumber("1e400"), new ExactNumber("0.10")],
    c: "1",
  });
});

it.each(['{"a":1,"a":2}', '{"a":1}x', "[1,]", "NaN", "", "{'a':1}", "\ufeff{}"])(
  "refuses %j",
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  },
);

it("makes __proto__ a plain key", () => {
  const read = parseExactJson('{"__proto__":{"polluted":true}}') as object;
  expect(Object.keys(read)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

it("throws RangeError past the stack's depth", () => {
  expect(() => parseExactJson("[".repeat(200_000))).toThrow(RangeError);
});

it("writes digits verbatim", () => {
  expect(JSON.stringify({ a: exactNumber("100.10") })).toBe('{"a":100.10}');
});

it.each(["1e5", "NaN", "", '1,"x":2'])("writes nothing but plain digits: %j", (text) => {
  expect(() => exactNumber(text)).toThrow();
});

it.each([
  '{"a":1.10e2,"b":[-0.0,9007199254740993,null,true],"c":{"d":"1.0"}}',
  '{"__proto__":{"a":0.10}}',
  "1E400",
])("writes what it read: %s", (text) => {
  expect(JSON.stringify(exactValue(parseExactJson(text)))).toBe(text);
});
