import { expect, it } from "vitest";
import { createKeyedHashes } from "./sealing.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const hex = (keys: string, purpose: string) =>
  createKeyedHashes(keys, purpose).map(({ keyId, hash }) => [keyId, hash("x").toString("hex")]);

it("hashes a text the same under one key and purpose, and differently under another", () => {
  const [[, first]] = hex(`k1:${key(1)}`, "names") as [[string, string]];
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(hex(`k1:${key(1)}`, "names")).toEqual([["k1", first]]);
  expect(hex(`k1:${key(1)}`, "wallets")[0]?.[1]).not.toBe(first);
  expect(hex(`k1:${key(2)}`, "names")[0]?.[1]).not.toBe(first);
});

it("hashes under the first key, and finds hashes of an older one", () => {
  const [old] = hex(`k1:${key(1)}`, "names");
  const rotated = hex(`k2:${key(2)},k1:${key(1)}`, "names");
  expect(rotated.map(([keyId]) => keyId)).toEqual(["k2", "k1"]);
  expect(rotated[1]).toEqual(old);
});

it.each(["k1", "k1:short", ""])("refuses %j", (keys) => {
  expect(() => createKeyedHashes(keys, "names")).toThrow("must have an id and 32 bytes");
});
