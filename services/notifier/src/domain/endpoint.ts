import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { namedKeys, type SecretSet } from "./secret-set.ts";

/** Where a merchant's events are sent. */
export type Endpoint = {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A pair of secrets as it is stored: sealed, each under its own context. */
export type SealedKey = {
  readonly id: string;
  readonly secret: string;
  readonly standardSecret: string;
  readonly madeAt: Date;
};

/** What was done to an endpoint and by whom; `keyId` names the secrets that the answer showed. */
export type EndpointOperation = {
  readonly id: string;
  readonly kind: "create" | "rotate" | "activate" | "delete";
  readonly keyId?: string | undefined;
  readonly actor: {
    readonly kind: "api_key" | "operator" | "service";
    readonly id: string;
  };
  readonly at: Date;
};

/**
 * An endpoint with its secrets and its history; changed as a whole, one revision after the other.
 */
export type EndpointRecord = Endpoint & {
  readonly revision: number;
  readonly deletedAt?: Date | undefined;
  readonly signing: SecretSet;
  readonly keys: readonly SealedKey[];
  readonly operations: readonly EndpointOperation[];
};

/** Each event is sent to each of them; a merchant needs one, and a few for trials. */
export const endpointsMax = 16;

/** Idempotency keys live 30 days (decisions, wire conventions): until then a repeat is answered. */
export const repeatMs = 30 * 86_400_000;

/** A document stays under 100 KiB; so many rotations in 30 days are somebody's mistake. */
export const operationsMax = 100;

/** What an operation changes of an endpoint. */
export type EndpointChange = {
  readonly operation: EndpointOperation;
  readonly signing?: SecretSet;
  readonly newKey?: SealedKey;
  readonly isDeleted?: boolean;
};

/**
 * The endpoint's next revision. Operations that nobody can repeat any more give way to new ones,
 * and keys that neither sign nor are owed to a repeat go with them.
 */
export function revised(
  endpoint: EndpointRecord,
  change: EndpointChange,
): EndpointRecord | Refused<"INVALID_REQUEST"> {
  const { operation, signing = endpoint.signing, newKey, isDeleted = false } = change;
  const recent = endpoint.operations.filter(
    (each) => operation.at.getTime() - each.at.getTime() < repeatMs,
  );
  const before = endpoint.operations.length < operationsMax ? endpoint.operations : recent;
  if (before.length >= operationsMax && !isDeleted) {
    return refused("INVALID_REQUEST", "The endpoint was changed too often in 30 days.");
  }
  const operations = [...before, operation];
  const needed = new Set([...namedKeys(signing), ...operations.map(({ keyId }) => keyId)]);
  const keys = newKey === undefined ? endpoint.keys : [...endpoint.keys, newKey];
  return {
    ...endpoint,
    signing,
    operations,
    keys: keys.filter((key) => needed.has(key.id)),
    updatedAt: operation.at,
    deletedAt: isDeleted ? operation.at : undefined,
    revision: endpoint.revision + 1,
  };
}
