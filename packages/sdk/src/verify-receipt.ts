import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { PayoutReceipt } from "./gen/types.ts";

/** Why a receipt is not taken. */
export type ReceiptRefusal =
  /** It is no signed receipt. */
  | "MALFORMED"
  /** None of the keys is the one that it names. */
  | "UNKNOWN_KEY"
  /** It was changed after it was signed, or another key signed it. */
  | "SIGNATURE_MISMATCH";

/** A receipt that is not taken. */
export class ReceiptVerificationError extends Error {
  override readonly name = "ReceiptVerificationError";
  readonly code: ReceiptRefusal;
  constructor(code: ReceiptRefusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Published keys: what `/.well-known/disburse-keys.json` of the platform answers. */
export type ReceiptKeys = {
  readonly keys: readonly {
    readonly kid?: string;
    readonly kty?: string;
    readonly crv?: string;
    readonly x?: string;
  }[];
};

/** Goes before the text that is signed. */
const purpose = "disburse payout receipt 1\n";

/** A list deeper than a receipt's is none. */
const depthMax = 8;

/**
 * Checks a payout's receipt, without the platform, and answers it. `file` is what Get receipt
 * answered, as an object or its text, with or without `data` around it; `keys` are the published
 * keys, of before, or kept with the receipt.
 *
 * @throws {ReceiptVerificationError} where it is not what was signed.
 */
export function verifyReceipt(file: unknown, keys: ReceiptKeys): PayoutReceipt {
  const { receipt, keyId, signature } = signedParts(typeof file === "string" ? parsed(file) : file);
  const text = purpose + canonical(receipt, 0);
  const isRight = verify(
    null,
    new TextEncoder().encode(text),
    keyOf(keys, keyId),
    Buffer.from(signature, "base64url"),
  );
  if (isRight) return receipt as unknown as PayoutReceipt;
  throw new ReceiptVerificationError("SIGNATURE_MISMATCH", "the receipt is not what was signed");
}

function malformed(message: string, options?: ErrorOptions): ReceiptVerificationError {
  return new ReceiptVerificationError("MALFORMED", message, options);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed("the file is not JSON", { cause });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function signedParts(file: unknown) {
  const signed = isFields(file) && isFields(file.data) ? file.data : file;
  if (!isFields(signed)) throw malformed("the file is no signed receipt");
  const { receipt, key_id: keyId, signature } = signed;
  if (isFields(receipt) && typeof keyId === "string" && typeof signature === "string") {
    return { receipt, keyId, signature };
  }
  throw malformed("the file has no receipt, key_id and signature");
}

function unknownKey(message: string, options?: ErrorOptions): ReceiptVerificationError {
  return new ReceiptVerificationError("UNKNOWN_KEY", message, options);
}

function keyOf({ keys }: ReceiptKeys, keyId: string): KeyObject {
  const found = keys.find(
    ({ kid, kty, crv }) => kid === keyId && kty === "OKP" && crv === "Ed25519",
  );
  if (found?.x === undefined) {
    throw unknownKey(`no key ${keyId} is among the published ones`);
  }
  try {
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: found.x }, format: "jwk" });
  } catch (cause) {
    throw unknownKey(`the key ${keyId} cannot be read`, { cause });
  }
}

/** The canonical form of JSON (RFC 8785), as far as receipts have it: texts, lists and objects. */
function canonical(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (depth > depthMax) throw malformed("the receipt is no receipt");
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(",")}]`;
  if (!isFields(value)) throw malformed("the receipt has something that is no text");
  const parts = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], depth + 1)}`);
  return `{${parts.join(",")}}`;
}
