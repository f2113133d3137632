import { createHash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { KeyedHash } from "../crypto/sealing.ts";
import { type Change, readFingerprint, readMutation } from "../rpc/mutation.ts";

/** A change, and the content of its request. */
export type RequestedChange = Change & {
  /** See `contentOf`; or the gateway's fingerprint of the request. */
  readonly content: string;
};

/** The stored content of an operation. */
export type StoredContent = {
  operation_content: string;
};

/** Several layers compare the content of a request; each request is hashed once. */
const contents = new WeakMap<object, string>();

/**
 * Identifies a repeated request: the SHA-256, in base64url, of its type and fields without its
 * mutation. A digest allows guesses at the fields, so it is stored unkeyed only if no field is
 * sealed.
 */
export function contentOf<Desc extends DescMessage>(
  schema: Desc,
  request: MessageShape<Desc>,
): string {
  const known = contents.get(request);
  if (known !== undefined) return known;
  const fields = toBinary(schema, { ...request, mutation: undefined });
  const hash = createHash("sha256").update(`${schema.typeName}\n`).update(fields);
  const content = hash.digest("base64url");
  contents.set(request, content);
  return content;
}

/** Reads the change of a mutating request; throws INVALID_ARGUMENT as `readMutation` does. */
export function readChange<Desc extends DescMessage>(
  schema: Desc,
  request: MessageShape<Desc> & { readonly mutation?: Mutation | undefined },
): RequestedChange {
  const { mutation } = request;
  const content = readFingerprint(mutation) ?? contentOf(schema, request);
  return { ...readMutation(mutation), content };
}

/** True if a stored operation has other content. */
export function isOther({ operation_content }: StoredContent, content: string): boolean {
  return operation_content !== content;
}

/** The key purpose of request digests; stored ones depend on it. */
export const contentPurpose = "operation content";

/**
 * Keys the digests of requests with sealed fields: the audit trail can show that two requests are
 * equal, and nobody can guess the fields without the key.
 */
export function contentKeyOf([{ keyId, hash }]: readonly [KeyedHash, ...KeyedHash[]]) {
  return (content: string): string => `${keyId}.${hash(content).toString("base64url")}`;
}
