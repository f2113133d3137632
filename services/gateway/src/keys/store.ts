import { ensureIndexes } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { Binary, type Db } from "mongodb";
import type { KeyRecord } from "./rules/access.ts";
import type { Mode } from "./rules/api-key.ts";
import { isScope, type Scope } from "./rules/scope.ts";
import { addressSet } from "./rules/source-address.ts";

const collectionName = "api_keys";
const schemaVersion = 1;

/**
 * A key as it is stored: of its text only the digest, and the sealed text for a repeat's short
 * while.
 */
export type StoredKey = {
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly digest: Uint8Array;
  readonly scopes: readonly Scope[];
  readonly sourceCidrs: readonly string[];
  readonly description: string;
  readonly expiresAt: Date | null;
  /** When its overlap with a successor is over. */
  readonly overlapEndsAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  readonly createdBy: StoredActor;
  /** What made it; unique, so that a repeat finds the first result. */
  readonly operation: {
    readonly id: string;
    readonly sealedSecret: string | null;
    readonly secretUntil: Date;
  };
  /** Of a rotation: which key it follows, and for how long that goes on. */
  readonly follows: { readonly keyId: string; readonly overlapSeconds: number } | null;
};

type KeyDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  mode: Mode;
  digest: Binary;
  scopes: readonly string[];
  source_cidrs: readonly string[];
  description: string;
  expires_at: Date | null;
  overlap_ends_at: Date | null;
  revoked_at: Date | null;
  revoked_by?: StoredActor & { operation_id: string };
  created_at: Date;
  created_by: StoredActor;
  operation: { id: string; sealed_secret: string | null; secret_until: Date };
  follows: { key_id: string; overlap_seconds: number } | null;
};

function toDocument(key: StoredKey): KeyDocument {
  const { operation, follows } = key;
  return {
    _id: key.id,
    schema_version: schemaVersion,
    merchant_id: key.merchantId,
    mode: key.mode,
    digest: new Binary(key.digest),
    scopes: key.scopes,
    source_cidrs: key.sourceCidrs,
    description: key.description,
    expires_at: key.expiresAt,
    overlap_ends_at: key.overlapEndsAt,
    revoked_at: key.revokedAt,
    created_at: key.createdAt,
    created_by: key.createdBy,
    operation: {
      id: operation.id,
      sealed_secret: operation.sealedSecret,
      secret_until: operation.secretUntil,
    },
    follows: follows && { key_id: follows.keyId, overlap_seconds: follows.overlapSeconds },
  };
}

function fromDocument(document: KeyDocument): StoredKey {
  const { operation, follows } = document;
  return {
    id: document._id,
    merchantId: document.merchant_id,
    mode: document.mode,
    digest: document.digest.buffer,
    scopes: document.scopes.filter(isScope),
    sourceCidrs: document.source_cidrs,
    description: document.description,
    expiresAt: document.expires_at,
    overlapEndsAt: document.overlap_ends_at,
    revokedAt: document.revoked_at,
    createdAt: document.created_at,
    createdBy: document.created_by,
    operation: {
      id: operation.id,
      sealedSecret: operation.sealed_secret,
      secretUntil: operation.secret_until,
    },
    follows: follows && { keyId: follows.key_id, overlapSeconds: follows.overlap_seconds },
  };
}

/** The earlier of a key's own expiry and the end of its overlap. */
export function endOfKey({ expiresAt, overlapEndsAt }: StoredKey): Date | undefined {
  if (expiresAt === null || overlapEndsAt === null) return expiresAt ?? overlapEndsAt ?? undefined;
  return expiresAt < overlapEndsAt ? expiresAt : overlapEndsAt;
}

/** A stored key as admission reads it. */
export function recordOfKey(key: StoredKey): KeyRecord {
  return {
    id: key.id,
    merchantId: key.merchantId,
    mode: key.mode,
    digest: key.digest,
    scopes: new Set(key.scopes),
    endsAt: endOfKey(key),
    revokedAt: key.revokedAt ?? undefined,
    sources: key.sourceCidrs.length === 0 ? undefined : addressSet(key.sourceCidrs),
  };
}

/** The API keys of all merchants. */
export type KeyStore = {
  find(id: string): Promise<StoredKey | undefined>;
  /** The key that an operation made. */
  findMadeBy(operationId: string): Promise<StoredKey | undefined>;
  /** A merchant's keys, oldest first. */
  list(merchantId: string): Promise<StoredKey[]>;
  /** Stores a new key; `false` when its operation (or, once in 10^14, its id) is there already. */
  insert(key: StoredKey): Promise<boolean>;
  /** Ends a key's overlap, never later than it ends already. */
  endOverlap(id: string, at: Date): Promise<void>;
  /** Revokes a key; the first time stays. */
  revoke(id: string, at: Date, by: StoredActor, operationId: string): Promise<void>;
  /** Forgets the texts that need not be shown again; answers how many. */
  forgetSecrets(now: Date): Promise<number>;
};

/** The API keys of all merchants. */
export async function openKeyStore(db: Db): Promise<KeyStore> {
  const collection = db.collection<KeyDocument>(collectionName);
  await ensureIndexes(db, collectionName, [
    { key: { "operation.id": 1 }, unique: true },
    { key: { merchant_id: 1, created_at: 1 } },
    { key: { "operation.secret_until": 1 } },
  ]);
  const one = async (filter: object) => {
    const document = await collection.findOne(filter);
    return document === null ? undefined : fromDocument(document);
  };
  return {
    find: (id) => one({ _id: id }),
    findMadeBy: (operationId) => one({ "operation.id": operationId }),
    list: async (merchantId) => {
      const found = collection.find({ merchant_id: merchantId }).sort({ created_at: 1, _id: 1 });
      return (await found.toArray()).map(fromDocument);
    },
    insert: (key) => insertOnce(collection, toDocument(key)),
    endOverlap: async (id, at) => {
      const later = { $or: [{ overlap_ends_at: null }, { overlap_ends_at: { $gt: at } }] };
      await collection.updateOne({ _id: id, ...later }, { $set: { overlap_ends_at: at } });
    },
    revoke: async (id, at, by, operationId) => {
      await collection.updateOne(
        { _id: id, revoked_at: null },
        { $set: { revoked_at: at, revoked_by: { ...by, operation_id: operationId } } },
      );
    },
    forgetSecrets: async (now) => {
      const result = await collection.updateMany(
        { "operation.secret_until": { $lte: now }, "operation.sealed_secret": { $ne: null } },
        { $set: { "operation.sealed_secret": null } },
      );
      return result.modifiedCount;
    },
  };
}
