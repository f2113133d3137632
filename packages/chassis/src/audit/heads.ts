import { createHash, sign } from "node:crypto";
import type { ServiceKey } from "../identity/keys.ts";

/** The newest entry of a hash chain. Its hash covers all earlier entries. */
export type ChainHead = {
  /** `audit`, or `ledger/<account id>`. */
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
};

/** The heads of a service's chains at one time. The statements themselves form a chain too. */
export type HeadStatement = {
  readonly service: string;
  readonly trustDomain: string;
  /** The statement's number. Numbers start at 1 and have no gaps. */
  readonly number: number;
  /** SHA-256 in hexadecimal of the previous statement; "" for the first. */
  readonly previous: string;
  readonly at: Date;
  readonly heads: readonly ChainHead[];
};

/**
 * The signature covers this prefix, so that no text signed for another purpose passes as a
 * statement.
 */
const purpose = "disburse audit heads 1\n";

/** Returns the text that is signed. */
export function statementText(statement: HeadStatement): string {
  const { service, trustDomain, number, previous, at, heads } = statement;
  return JSON.stringify({
    service,
    trust_domain: trustDomain,
    number,
    previous,
    at: at.toISOString(),
    heads: heads.map(({ chain, sequence, hash }) => [chain, sequence, hash]),
  });
}

/** Returns the value of `previous` for the next statement. */
export function statementHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns a statement in the form that is shipped: one line of JSON with an Ed25519 signature of
 * the exact text.
 */
export function signedLine(text: string, { keyId, privateKey }: ServiceKey): string {
  const signature = sign(null, Buffer.from(purpose + text), privateKey).toString("base64url");
  return JSON.stringify({ statement: text, key_id: keyId, signature });
}
