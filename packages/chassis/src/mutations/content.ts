import { createHash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { KeyedHash } from "../crypto/sealing.ts";
import { type Change, readFingerprint, readMutation } from "../rpc/mutation.ts";

/** A change with the digest of its request. */
export type RequestedChange = Change & {
  /** The digest of the request (see `contentOf`), or the gateway's fingerprint of it. */
  readonly content: string;
};

/** The stored digest of an operation's request. */
export type StoredContent = {
  operation_content: string;
};

/** Caches digests, because several layers compute the digest of the same request. */
const contents = new WeakMap<object, string>();

/**
 * Returns a digest that identifies a repeated request: the SHA-256, in base64url, of the request's
 * type and its fields without the mutation. Field values can be guessed from such a digest. It may
 * therefore be stored without a key only if no field is encrypted at rest.
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

/**
 * Reads the change of a mutating request. Throws INVALID_ARGUMENT in the same cases as
 * `readMutation`.
 */
export function readChange<Desc extends DescMessage>(
  schema: Desc,
  request: MessageShape<Desc> & { readonly mutation?: Mutation | undefined },
): RequestedChange {
  const { mutation } = request;
  const content = readFingerprint(mutation) ?? contentOf(schema, request);
  return { ...readMutation(mutation), content };
}

/** Returns true if a stored operation had a different request. */
export function isOther({ operation_content }: StoredContent, content: string): boolean {
  return operation_content !== content;
}

/** The key purpose for request digests. It must not change, because stored digests depend on it. */
export const contentPurpose = "operation content";

/**
 * Returns a function that adds a secret key to digests of requests with encrypted fields. Stored
 * digests and the audit trail can then show that two requests are equal, but no one without the key
 * can guess the fields. `like` is a stored digest whose key is used instead of the current one.
 */
export function contentKeyOf(hashes: readonly [KeyedHash, ...KeyedHash[]]) {
  return (content: string, like = ""): string => {
    // The previous release stored digests without a key.
    if (/^[^.]+$/.test(like)) return content;
    const used = hashes.find((each) => like.startsWith(`${each.keyId}.`));
    // Its key was retired, so it can't be compared. The operation is bound, and its repeat has no
    // further effect.
    if (used === undefined && like !== "") return like;
    const { keyId, hash } = used ?? hashes[0];
    return `${keyId}.${hash(content).toString("base64url")}`;
  };
}
