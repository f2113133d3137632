import { createHash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { KeyedHash } from "../crypto/sealing.ts";
import { type Change, readFingerprint, readMutation } from "../rpc/mutation.ts";

/** A change, and the content of the request that it came with. */
export type RequestedChange = Change & {
  /** See `contentOf`; or the gateway's fingerprint of the request. */
  readonly content: string;
};

/** The field of a stored operation that says what it came with. */
export type StoredContent = {
  operation_content: string;
};

/** A request passes several layers that compare its content; each request is hashed once. */
const contents = new WeakMap<object, string>();

/**
 * What a request is recognised by when its operation id comes again: the SHA-256, in base64url, of
 * its type and fields without its mutation. It can be guessed from, so it is kept in the clear only
 * where all fields of the request are.
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

/** The change of a mutating request; throws INVALID_ARGUMENT as `readMutation` does. */
export function readChange<Desc extends DescMessage>(
  schema: Desc,
  request: MessageShape<Desc> & { readonly mutation?: Mutation | undefined },
): RequestedChange {
  const { mutation } = request;
  const content = readFingerprint(mutation) ?? contentOf(schema, request);
  return { ...readMutation(mutation), content };
}

/** Whether a stored operation came with other content than this. */
export function isOther({ operation_content }: StoredContent, content: string): boolean {
  return operation_content !== content;
}

/** What digests of requests are keyed for; stored ones depend on it. */
export const contentPurpose = "operation content";

/**
 * Keys digests of requests whose fields are sealed at rest: in the audit trail they show that a
 * request is the same, and cannot be guessed from without the key.
 */
export function contentKeyOf([{ keyId, hash }]: readonly [KeyedHash, ...KeyedHash[]]) {
  return (content: string): string => `${keyId}.${hash(content).toString("base64url")}`;
}
