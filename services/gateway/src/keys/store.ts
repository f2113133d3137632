import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary, Collection, Db, Filter } from "mongodb";
import type { KeyRecord } from "./rules/api-key.ts";
import type { Mode, Scope } from "./rules/key.ts";
import { addressSet } from "./rules/source-address.ts";
import type { Stop } from "./stops.ts";

const collectionName = "api_keys";

/** A stored key. It contains only a digest of the key's text, and for a day the encrypted text. */
export type KeyDocument = {
  _id: string;
  schema_version: 1;
  merchant_id: string;
  mode: Mode;
  digest: Binary;
  /** Version of the pepper that the key is hashed with. */
  pepper: string;
  scopes: readonly Scope[];
  source_cidrs: readonly string[];
  description: string;
  expires_at: Date | null;
  /**
   * Set if the request had no expiry, so `expires_at` is the default. A rotation then sets a new
   * default for the successor.
   */
  expires_by_default?: true;
  /** End of the overlap with the key's successor. */
  overlap_ends_at: Date | null;
  revoked_at: Date | null;
  revoked_by?: StoredActor & { operation_id: string };
  /**
   * Set when the key is revoked. Contains the choice for the key's orders and the time of the next
   * run.
   */
  stop?: Stop;
  created_at: Date;
  created_by: StoredActor;
  /**
   * The first key or member in the chain that created this key. All of the chain counts as one
   * actor. A key that an operator created is its own root.
   */
  root: string;
  /** The operation that created the key. The id is unique, so a repeat finds the same key. */
  operation: { id: string; sealed_secret: string | null; secret_until: Date };
  /** Set for a successor: the previous key and the overlap. */
  follows: { key_id: string; overlap_seconds: number } | null;
};

export type Keys = Collection<KeyDocument>;

export function openKeys(db: Db): Keys {
  return db.collection<KeyDocument>(collectionName);
}

/** Returns the earlier of the key's expiry and the end of its overlap. */
export function endOfKey({ expires_at, overlap_ends_at }: KeyDocument): Date | undefined {
  const ends = [expires_at, overlap_ends_at].filter((each) => each !== null);
  return ends.sort((a, b) => a.getTime() - b.getTime())[0];
}

/** Returns true for an active key, which is neither revoked nor expired. */
export function isAlive(key: KeyDocument, now: Date): boolean {
  const end = endOfKey(key);
  return key.revoked_at === null && (end === undefined || now < end);
}

/** Finds a merchant's active keys. */
export function aliveOf(merchantId: string, now: Date): Filter<KeyDocument> {
  const later = (name: "expires_at" | "overlap_ends_at"): Filter<KeyDocument> => ({
    $or: [{ [name]: null }, { [name]: { $gt: now } }],
  });
  return {
    merchant_id: merchantId,
    revoked_at: null,
    $and: [later("expires_at"), later("overlap_ends_at")],
  };
}

export async function findRecord(keys: Keys, id: string): Promise<KeyRecord | undefined> {
  const key = await keys.findOne({ _id: id });
  if (key === null) return undefined;
  return {
    id,
    merchantId: key.merchant_id,
    root: key.root,
    name: key.description,
    mode: key.mode,
    digest: key.digest.buffer,
    pepper: key.pepper,
    scopes: new Set(key.scopes),
    endsAt: endOfKey(key),
    isRevoked: key.revoked_at !== null,
    sourceCidrs: key.source_cidrs,
    sources: key.source_cidrs.length === 0 ? undefined : addressSet(key.source_cidrs),
  };
}

/** Sets the end of a key's overlap. Never moves an existing end to a later time. */
export async function endOverlap(keys: Keys, id: string, at: Date): Promise<void> {
  const later = { $or: [{ overlap_ends_at: null }, { overlap_ends_at: { $gt: at } }] };
  await keys.updateOne({ _id: id, ...later }, { $set: { overlap_ends_at: at } });
}

/** Deletes the encrypted texts that a repeat no longer returns. */
export async function forgetSecrets(keys: Keys, now: Date): Promise<void> {
  await keys.updateMany(
    { "operation.secret_until": { $lte: now }, "operation.sealed_secret": { $ne: null } },
    { $set: { "operation.sealed_secret": null } },
  );
}
