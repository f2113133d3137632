import { sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { generateServiceKey, readServiceKey, readTrustedKeys, trustedKeysText } from "./keys.ts";

const { privateText, publicJwk } = generateServiceKey("payout");

it("reads back what it generates: the public key verifies what the private one signs", () => {
  const { service, keyId, privateKey } = readServiceKey(privateText);
  expect([service, keyId]).toEqual(["payout", publicJwk.kid]);
  const trusted = readTrustedKeys(trustedKeysText([publicJwk])).get(keyId);
  expect(trusted?.service).toBe("payout");
  const text = Buffer.from("said");
  const signature = sign(null, text, privateKey);
  expect(verify(null, text, trusted?.publicKey ?? "", signature)).toBe(true);
});

const jwk = JSON.parse(privateText) as Record<string, string>;
const other = JSON.parse(generateServiceKey("quote").privateText) as Record<string, string>;

it.each([
  ["no JSON", `${jwk.d}`, "is not a JSON object"],
  ["no private part", JSON.stringify({ ...jwk, d: undefined }), "malformed fields: d"],
  ["a short private part", JSON.stringify({ ...jwk, d: "short" }), "malformed fields: d"],
  ["another curve", JSON.stringify({ ...jwk, crv: "X25519" }), "malformed fields: crv"],
  ["no service in its id", JSON.stringify({ ...jwk, kid: "payout" }), "malformed fields: kid"],
  ["another key's public part", JSON.stringify({ ...jwk, x: other.x }), "Invalid JWK"],
])("refuses a private key with %s, and shows none of it", (_what, text, problem) => {
  expect(() => readServiceKey(text)).toThrow(problem);
  expect(() => readServiceKey(text)).not.toThrow(jwk.d);
});

it.each([
  ["no key", '{"keys":[]}', "malformed fields: keys"],
  ["a key twice", trustedKeysText([publicJwk, publicJwk]), `${publicJwk.kid} occurs twice`],
  ["no JSON", "keys", "is not a JSON object"],
])("refuses public keys with %s", (_what, text, problem) => {
  expect(() => readTrustedKeys(text)).toThrow(problem);
});
