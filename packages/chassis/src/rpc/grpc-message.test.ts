import fc from "fast-check";
import { expect, it } from "vitest";
import { percentEncoded } from "./grpc-message.ts";

it.each([
  ["INVALID_REQUEST: url: is required; a, b", "INVALID_REQUEST: url: is required; a, b"],
  ["100 %", "100 %25"],
  ["a\nb", "a%0Ab"],
  ["€ ü", "%E2%82%AC %C3%BC"],
  ["~\u007f", "~%7F"],
  ["", ""],
])("%j is sent as %j", (text, sent) => {
  expect(percentEncoded(text)).toBe(sent);
});

it("is read back, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodeURIComponent(percentEncoded(text))).toBe(text);
    }),
  );
});
