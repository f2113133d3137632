import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { PayoutReceipt } from "./gen/types.ts";

/** Error codes of `verifyReceipt`. */
export type ReceiptRefusal =
  /** The file is not a signed receipt. */
  | "MALFORMED"
  /** The given keys don't include the receipt's key. */
  | "UNKNOWN_KEY"
  /** The receipt was changed after signing, or another key signed it. */
  | "SIGNATURE_MISMATCH";

/** Thrown for a receipt that isn't valid. */
export class ReceiptVerificationError extends Error {
  override readonly name = "ReceiptVerificationError";
  readonly code: ReceiptRefusal;
  constructor(code: ReceiptRefusal, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The platform's published keys, from `/.well-known/disburse-keys.json`. */
export type ReceiptKeys = {
  readonly keys: readonly {
    readonly kid?: string;
    readonly kty?: string;
    readonly crv?: string;
    readonly x?: string;
  }[];
};

/**
 * Prefix of the signed text. Prevents other signatures of the same key from passing as a receipt's
 * signature.
 */
const purpose = "disburse payout receipt 1\n";

/** Maximum nesting of a file. Receipts are less deep. */
const depthMax = 8;

/**
 * Verifies a payout's receipt offline and returns the receipt. `file` is the response of Get
 * receipt, as an object or text. It may still be wrapped in `data`. `keys` are the published keys,
 * current ones or those stored with the receipt.
 *
 * @throws {ReceiptVerificationError} if the receipt isn't valid; its `code` gives the reason.
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
  throw new ReceiptVerificationError(
    "SIGNATURE_MISMATCH",
    "the receipt does not match its signature",
  );
}

function malformed(
  message: string,
  options?: { readonly cause?: unknown },
): ReceiptVerificationError {
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
  if (!isFields(signed)) throw malformed("the file is not a signed receipt");
  const { receipt, key_id: keyId, signature } = signed;
  if (isFields(receipt) && typeof keyId === "string" && typeof signature === "string") {
    return { receipt, keyId, signature };
  }
  throw malformed("the file has no receipt, key_id and signature");
}

function unknownKey(
  message: string,
  options?: { readonly cause?: unknown },
): ReceiptVerificationError {
  return new ReceiptVerificationError("UNKNOWN_KEY", message, options);
}

function keyOf({ keys }: ReceiptKeys, keyId: string): KeyObject {
  const found = keys.find(
    ({ kid, kty, crv }) => kid === keyId && kty === "OKP" && crv === "Ed25519",
  );
  if (found?.x === undefined) {
    throw unknownKey(`the published keys do not include ${keyId}`);
  }
  try {
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: found.x }, format: "jwk" });
  } catch (cause) {
    throw unknownKey(`the key ${keyId} cannot be read`, { cause });
  }
}

/** Returns canonical JSON (RFC 8785) for the types in receipts: texts, lists and objects. */
function canonical(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (depth > depthMax) throw malformed("the receipt is nested too deeply");
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(",")}]`;
  if (!isFields(value)) throw malformed("the receipt has a value that is not text");
  const parts = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], depth + 1)}`);
  return `{${parts.join(",")}}`;
}
