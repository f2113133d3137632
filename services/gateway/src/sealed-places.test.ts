import { sealedProposals } from "@disburse/chassis/approvals/store.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { expect, it } from "vitest";
import { sealedKeyTexts } from "./keys/rpc.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const old = createSealer(`k1:${key(1)}`);
const both = createSealer(`k2:${key(2)},k1:${key(1)}`);
/** Knows only the new key, as after the older one is retired. */
const alone = createSealer(`k2:${key(2)}`);

it("reseals the text of a new key, and leaves a forgotten one alone", () => {
  const context = "mer_1|key_1|secret";
  const sealed_secret = old.seal("dsb_test_1", context);
  const document = { _id: "key_1", merchant_id: "mer_1", operation: { sealed_secret } };
  const change = sealedKeyTexts.reseal(document, both);
  expect(change?.where).toEqual({ "operation.sealed_secret": sealed_secret });
  expect(alone.open(change?.set["operation.sealed_secret"], context)).toBe("dsb_test_1");
  const current = { ...document, operation: { sealed_secret: both.seal("dsb_test_1", context) } };
  expect(sealedKeyTexts.reseal(current, both)).toBeUndefined();
  const forgotten = { ...document, operation: { sealed_secret: null } };
  expect(sealedKeyTexts.reseal(forgotten, both)).toBeUndefined();
});

it("reseals the request and the changes of a proposal", () => {
  const texts = { request: "AQID", before: "", after: '{"member":{"name":"Mia"}}' };
  const entries = Object.entries(texts);
  const sealed = entries.map(([field, text]) => [field, old.seal(text, `prp_1|${field}`)]);
  const change = sealedProposals.reseal({ _id: "prp_1", ...Object.fromEntries(sealed) }, both);
  expect(change?.where).toEqual(Object.fromEntries(sealed));
  for (const [field, text] of entries) {
    expect(alone.open(change?.set[field], `prp_1|${field}`)).toBe(text);
  }
});
