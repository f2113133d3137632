import { randomBytes } from "node:crypto";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { Sealer } from "@disburse/chassis/sealing.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { keyDigest, type Mode, makeKey } from "./domain/api-key.ts";
import { type KeyOrder, keyOrder, overlapProblem } from "./domain/key-order.ts";
import { endOfKey, type KeyStore, type StoredKey } from "./key-store.ts";

/** Who changes a key, and as which operation. */
export type KeyChange = { readonly operationId: string; readonly actor: StoredActor };

/** A new key and its text, which is shown here and in a repeat's answer only. */
export type IssuedKey = { readonly key: StoredKey; readonly secret: string };

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
 * A repeat of the operation shows the key's text again for a day: long enough for an operator's tool to
 * try again, short enough that hardly any key can be read back from the database with its encryption key.
 */
export const secretShownMs = 24 * 60 * 60 * 1_000;

export type KeyIssuer = ReturnType<typeof createKeyIssuer>;

const sealContext = (merchantId: string, keyId: string) => `${merchantId}|${keyId}|secret`;

/** Makes, rotates and revokes keys; each operation has one result, however often it is asked for. */
export function createKeyIssuer(deps: KeyIssuerDeps) {
  const { keys, sealer, clock } = deps;

  /** The key that this operation made before, if it did, with its text while that is kept. */
  const madeBefore = async (operationId: string, follows: string | null) => {
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
  };

  const issue = async (by: KeyChange, order: KeyOrder, follows: StoredKey["follows"]) => {
    const made = makeKey(deps.mode, (size) => randomBytes(size));
    const now = clock.now();
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
        sealedSecret: sealer.seal(made.text, sealContext(order.merchantId, made.id)),
        secretUntil: new Date(now.getTime() + secretShownMs),
      },
    };
    if (await keys.insert(key)) {
      // A key id that was asked for before it existed may be remembered as unknown.
      deps.changed(key.id);
      return { key, secret: made.text };
    }
    const first = await madeBefore(by.operationId, follows?.keyId ?? null);
    if (first === undefined) throw new Error("a key id was made twice");
    return first;
  };

  /** Ends the old key's overlap; a repeat after a crash in between finishes what was begun. */
  const endOld = async (issued: IssuedKey | Refused<"INVALID_REQUEST">) => {
    if (isRefused(issued)) return issued;
    const { follows, createdAt } = issued.key;
    if (follows === null) return issued;
    const end = new Date(createdAt.getTime() + follows.overlapSeconds * 1_000);
    await keys.endOverlap(follows.keyId, end);
    deps.changed(follows.keyId);
    return issued;
  };

  return {
    create: async (by: KeyChange, asked: Parameters<typeof keyOrder>[0]) => {
      const before = await madeBefore(by.operationId, null);
      if (before !== undefined) return before;
      const order = keyOrder(asked, clock.now());
      return isRefused(order) ? order : issue(by, order, null);
    },
    rotate: async (by: KeyChange, keyId: string, overlapSeconds: number) => {
      const before = await madeBefore(by.operationId, keyId);
      if (before !== undefined) return endOld(before);
      const problem = overlapProblem(overlapSeconds);
      if (problem !== undefined) return problem;
      const old = await keys.find(keyId);
      if (old === undefined || !isAlive(old, clock.now())) return refused("RECORD_NOT_FOUND");
      const { merchantId, scopes, expiresAt, sourceCidrs, description } = old;
      const order = { merchantId, scopes, expiresAt, sourceCidrs, description };
      return endOld(await issue(by, order, { keyId, overlapSeconds }));
    },
    revoke: async (by: KeyChange, keyId: string) => {
      await keys.revoke(keyId, clock.now(), by.actor, by.operationId);
      deps.changed(keyId);
      return (await keys.find(keyId)) ?? refused("RECORD_NOT_FOUND");
    },
    list: (merchantId: string) => keys.list(merchantId),
    forgetSecrets: () => keys.forgetSecrets(clock.now()),
  };
}

/** Whether a key still works: one that was revoked or has ended is not carried on by a rotation. */
function isAlive(key: StoredKey, now: Date): boolean {
  const end = endOfKey(key);
  return key.revokedAt === null && (end === undefined || now < end);
}
