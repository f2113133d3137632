import fc from "fast-check";
import { expect, it } from "vitest";
import {
  base62,
  bearerToken,
  digestMatches,
  keyDigest,
  makeKey,
  randomBase62,
  readKey,
} from "./api-key.ts";

/** Counts upwards, so that a generated key is predictable. */
const counting = (size: number) => Uint8Array.from({ length: size }, (_byte, at) => at);
const known = "dsb_test_012345670123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";

it("makes keys of the published form", () => {
  const key = makeKey("sandbox", counting);
  expect(key).toMatchObject({ id: "01234567", mode: "sandbox" });
  expect(key.text.slice(0, -6)).toBe(known);
  expect(key.text).toMatch(/^dsb_test_[0-9A-Za-z]{57}$/);
  expect(makeKey("live", counting).text).toMatch(/^dsb_live_[0-9A-Za-z]{57}$/);
  expect(readKey(key.text)).toEqual(key);
});

it("finds every mistyped character by the checksum", () => {
  const { text } = makeKey("live", counting);
  const letters = fc.constantFrom(...text);
  fc.assert(
    fc.property(fc.integer({ min: 9, max: text.length - 1 }), letters, (at, letter) => {
      const typed = text.slice(0, at) + letter + text.slice(at + 1);
      expect(readKey(typed) === undefined).toBe(typed !== text);
    }),
  );
});

it.each([
  ["empty", ""],
  ["another prefix", makeKey("live", counting).text.replace("dsb_", "sk_")],
  ["another mode", makeKey("live", counting).text.replace("live", "test")],
  ["a character too few", makeKey("live", counting).text.slice(0, -1)],
  ["a character too many", `${makeKey("live", counting).text}0`],
  ["no letter of base62", makeKey("live", counting).text.replace("A", "-")],
])("does not take a key with %s", (_what, text) => {
  expect(readKey(text)).toBeUndefined();
});

it("keeps only an HMAC under the pepper", () => {
  const pepper = Buffer.alloc(32, 1);
  const digest = keyDigest("key", pepper);
  expect(digest.toString("hex")).toBe(
    "e3430b9a158d2a67492221f488fba062ceb7b0bf4e9c92389efb43ce0770fd83",
  );
  expect(digestMatches("key", digest, pepper)).toBe(true);
  expect(digestMatches("keY", digest, pepper)).toBe(false);
  expect(digestMatches("key", digest, Buffer.alloc(32, 2))).toBe(false);
  expect(digestMatches("key", digest.subarray(1), pepper)).toBe(false);
});

it.each([
  [["Bearer abc"], "abc"],
  [["bearer  abc "], "abc"],
  [[], undefined],
  [["Bearer"], undefined],
  [["Basic abc"], undefined],
  [["Bearer a b"], undefined],
  [["Bearer abc", "Bearer abc"], undefined],
])("of the headers %j the token is %s", (headers, token) => {
  expect(bearerToken(headers)).toBe(token);
});

it("draws letters evenly: bytes that would favour some are thrown away", () => {
  const bytes = [[248, 255, 61, 62], [247], [7]].map((each) => Uint8Array.from(each));
  const sizes: number[] = [];
  const draw = (size: number) => {
    sizes.push(size);
    return bytes.shift() ?? new Uint8Array(1);
  };
  expect(randomBase62(4, draw)).toBe("z0z7");
  expect(sizes).toEqual([4, 2, 1]);
  expect(base62(2 ** 32 - 1, 6)).toBe("4gfFC3");
  expect(base62(0, 6)).toBe("000000");
});
