import { randomBytes } from "node:crypto";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { keyDigest, type Mode, makeKey } from "./rules/api-key.ts";
import { type AskedKey, type KeyOrder, keyOrder, overlapProblem } from "./rules/order.ts";
import { endOfKey, type KeyStore, type StoredKey } from "./store.ts";

/** Who changes a key, and as which operation. */
export type KeyChange = { readonly operationId: string; readonly actor: StoredActor };

/** A new key and its text, which is shown here and in a repeat's answer only. */
export type IssuedKey = { readonly key: StoredKey; readonly secret: string };

/** What keys are issued with. */
export type KeyIssuerDeps = {
  readonly keys: KeyStore;
  readonly sealer: Sealer;
  readonly pepper: Uint8Array;
  readonly mode: Mode;
  readonly clock: Clock;
  /** Told of keys that were changed here. */
  readonly changed: (keyId: string) => void;
};

/**
 * A repeat of the operation shows the key's text again for a day: long enough for an operator's
 * tool to try again, short enough that hardly any key can be read back from the database with its
 * encryption key.
 */
export const secretShownMs = 24 * 60 * 60 * 1_000;

const sealContext = (merchantId: string, keyId: string) => `${merchantId}|${keyId}|secret`;

/** The key that this operation made before, if it did, with its text while that is kept. */
async function madeBefore(
  { keys, sealer, clock }: KeyIssuerDeps,
  operationId: string,
  follows: string | null,
): Promise<IssuedKey | Refused<"INVALID_REQUEST"> | undefined> {
  const key = await keys.findMadeBy(operationId);
  if (key === undefined) return undefined;
  const { sealedSecret, secretUntil } = key.operation;
  if ((key.follows?.keyId ?? null) !== follows) {
    return refused("INVALID_REQUEST", "operation_id: was used for another operation");
  }
  if (sealedSecret === null || clock.now() >= secretUntil) {
    return refused("INVALID_REQUEST", "operation_id: its key can no longer be shown, rotate it");
  }
  return { key, secret: sealer.open(sealedSecret, sealContext(key.merchantId, key.id)) };
}

async function issue(
  deps: KeyIssuerDeps,
  by: KeyChange,
  order: KeyOrder,
  follows: StoredKey["follows"],
): Promise<IssuedKey | Refused<"INVALID_REQUEST">> {
  const made = makeKey(deps.mode, (size) => randomBytes(size));
  const now = deps.clock.now();
  const key: StoredKey = {
    ...order,
    id: made.id,
    mode: deps.mode,
    digest: keyDigest(made.text, deps.pepper),
    overlapEndsAt: null,
    revokedAt: null,
    createdAt: now,
    createdBy: by.actor,
    follows,
    operation: {
      id: by.operationId,
      sealedSecret: deps.sealer.seal(made.text, sealContext(order.merchantId, made.id)),
      secretUntil: new Date(now.getTime() + secretShownMs),
    },
  };
  if (await deps.keys.insert(key)) {
    // A key id that was asked for before it existed may be remembered as unknown.
    deps.changed(key.id);
    return { key, secret: made.text };
  }
  const first = await madeBefore(deps, by.operationId, follows?.keyId ?? null);
  if (first === undefined) throw new Error("a key id was made twice");
  return first;
}

/** Ends the old key's overlap; a repeat after a crash in between finishes what was begun. */
async function endOld(
  { keys, changed }: KeyIssuerDeps,
  issued: IssuedKey | Refused<"INVALID_REQUEST">,
): Promise<IssuedKey | Refused<"INVALID_REQUEST">> {
  if (isRefused(issued)) return issued;
  const { follows, createdAt } = issued.key;
  if (follows === null) return issued;
  const end = new Date(createdAt.getTime() + follows.overlapSeconds * 1_000);
  await keys.endOverlap(follows.keyId, end);
  changed(follows.keyId);
  return issued;
}

/** Makes a key; a repeat of the operation answers the first one. */
export async function createKey(
  deps: KeyIssuerDeps,
  by: KeyChange,
  asked: AskedKey,
): Promise<IssuedKey | Refused<"INVALID_REQUEST">> {
  const before = await madeBefore(deps, by.operationId, null);
  if (before !== undefined) return before;
  const order = keyOrder(asked, deps.clock.now());
  return isRefused(order) ? order : issue(deps, by, order, null);
}

/** Makes a key like an old one, which ends after the overlap; a repeat answers the first one. */
export async function rotateKey(
  deps: KeyIssuerDeps,
  by: KeyChange,
  keyId: string,
  overlapSeconds: number,
): Promise<IssuedKey | Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND">> {
  const before = await madeBefore(deps, by.operationId, keyId);
  if (before !== undefined) return endOld(deps, before);
  const problem = overlapProblem(overlapSeconds);
  if (problem !== undefined) return problem;
  const old = await deps.keys.find(keyId);
  if (old === undefined || !isAlive(old, deps.clock.now())) return refused("RECORD_NOT_FOUND");
  const { merchantId, scopes, expiresAt, sourceCidrs, description } = old;
  const order = { merchantId, scopes, expiresAt, sourceCidrs, description };
  return endOld(deps, await issue(deps, by, order, { keyId, overlapSeconds }));
}

/** Revokes a key; the first time stays. */
export async function revokeKey(
  { keys, clock, changed }: KeyIssuerDeps,
  by: KeyChange,
  keyId: string,
): Promise<StoredKey | Refused<"RECORD_NOT_FOUND">> {
  await keys.revoke(keyId, clock.now(), by.actor, by.operationId);
  changed(keyId);
  return (await keys.find(keyId)) ?? refused("RECORD_NOT_FOUND");
}

/** Whether a key still works: one that was revoked or has ended is not carried on by a rotation. */
function isAlive(key: StoredKey, now: Date): boolean {
  const end = endOfKey(key);
  return key.revokedAt === null && (end === undefined || now < end);
}
