import { createHash, sign } from "node:crypto";
import type { ServiceKey } from "../identity/keys.ts";

/** The newest entry of a hash chain: with it, all entries before it are fixed. */
export type ChainHead = {
  /** `audit`, or `ledger/<account id>`. */
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
};

/** What a service says of its chains at a moment; statements of a service are a chain, too. */
export type HeadStatement = {
  readonly service: string;
  readonly trustDomain: string;
  /** From 1, without gaps. */
  readonly number: number;
  /** SHA-256, in hexadecimal, of the statement before; "" for the first. */
  readonly previous: string;
  readonly at: Date;
  readonly heads: readonly ChainHead[];
};

/** Signed beside the statement, so that no other text that the key signs is one. */
const purpose = "disburse audit heads 1\n";

/** The text of a statement, which is what is signed. */
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

/** What the next statement names this one by. */
export function statementHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A statement as it is shipped: one line of JSON, signed (Ed25519) over the exact text in it. */
export function signedLine(text: string, { keyId, privateKey }: ServiceKey): string {
  const signature = sign(null, Buffer.from(purpose + text), privateKey).toString("base64url");
  return JSON.stringify({ statement: text, key_id: keyId, signature });
}
