import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ReceiptVerificationError, verifyReceipt } from "./verify-receipt.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const { x = "" } = publicKey.export({ format: "jwk" });
const keys = { keys: [{ kid: "payout.12345678", kty: "OKP", crv: "Ed25519", x }] };

const receipt = {
  status: "succeeded",
  payout_id: "po_1",
  beneficiary_name: 'Søren "€" \u001f',
  ledger: [{ step: "post", hash: "aa" }],
};
/** Written by hand from the rule, independent of the code. */
const text =
  'disburse payout receipt 1\n{"beneficiary_name":"Søren \\"€\\" \\u001f","ledger":[{"hash":"aa","step":"post"}],"payout_id":"po_1","status":"succeeded"}';
const signature = sign(null, Buffer.from(text), privateKey).toString("base64url");
const file = { receipt, key_id: "payout.12345678", signature };

const codeOf = (given: unknown, by: Parameters<typeof verifyReceipt>[1] = keys) => {
  try {
    verifyReceipt(given, by);
    return "OK";
  } catch (error) {
    if (error instanceof ReceiptVerificationError) return error.code;
    throw error;
  }
};

describe("a receipt", () => {
  it.each([
    ["as an object", file],
    ["as an answer", { data: file }],
    [
      "as text, in whatever order",
      JSON.stringify(Object.fromEntries(Object.entries(file).reverse()), null, 2),
    ],
  ])("is accepted %s", (_, given) => {
    expect(verifyReceipt(given, keys)).toEqual(receipt);
  });

  const changed = (change: object) => ({ ...file, receipt: { ...receipt, ...change } });
  it.each<[string, unknown, string]>([
    ["another status", changed({ status: "failed" }), "SIGNATURE_MISMATCH"],
    ["one field more", changed({ note: "" }), "SIGNATURE_MISMATCH"],
    ["another hash", changed({ ledger: [{ step: "post", hash: "ab" }] }), "SIGNATURE_MISMATCH"],
    ["no signature", { ...file, signature: "" }, "SIGNATURE_MISMATCH"],
    ["another key's name", { ...file, key_id: "payout.other" }, "UNKNOWN_KEY"],
    ["a number in it", changed({ amount: 1 }), "MALFORMED"],
    ["nothing signed", { receipt }, "MALFORMED"],
    ["no JSON", "{", "MALFORMED"],
    ["a list", [], "MALFORMED"],
  ])("is rejected with %s", (_, given, code) => {
    expect(codeOf(given)).toBe(code);
  });

  it("is rejected for another or an invalid key", () => {
    const other = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    const named = (key: object) => ({ keys: [{ ...keys.keys[0], ...key }] });
    expect(codeOf(file, named({ x: other.x }))).toBe("SIGNATURE_MISMATCH");
    expect(codeOf(file, named({ x: "short" }))).toBe("UNKNOWN_KEY");
    expect(codeOf(file, named({ kty: "EC" }))).toBe("UNKNOWN_KEY");
    expect(codeOf(file, { keys: [] })).toBe("UNKNOWN_KEY");
  });
});
