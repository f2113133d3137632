import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { findKept, insertWithin } from "@disburse/chassis/mongo/bound.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { findCountedPage, oldestFirst } from "@disburse/chassis/paging/page.ts";
import { type Change, readMutation, type StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Key,
  KeySchema,
  type KeyService,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { Binary } from "mongodb";
import { keyDigest, makeKey } from "./rules/api-key.ts";
import { childProblem, withInherited } from "./rules/child.ts";
import {
  defaultEnd,
  type KeyOrder,
  keyOrder,
  type Mode,
  overlapProblem,
  overlapSecondsDefault,
  secondPersonScopes,
} from "./rules/key.ts";
import { currentPepper, type Peppers } from "./rules/peppers.ts";
import { type CarryOut, type Disposition, stopBy, tighten } from "./stops.ts";
import { aliveOf, endOfKey, endOverlap, isAlive, type KeyDocument, type Keys } from "./store.ts";

type KeyRpc = Pick<ReturnType<typeof keyService>, "createKey" | "rotateKey">;

/**
 * A new key and its text. Only the response that creates the key, and a repeat of it, contain the
 * text.
 */
type IssuedKey = { readonly key: KeyDocument; readonly secret: string };
type KeyRefusal = Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND" | "ACCESS_FORBIDDEN">;

export type KeyIssuerDeps = {
  readonly keys: Keys;
  readonly sealer: Sealer;
  readonly peppers: Peppers;
  readonly mode: Mode;
  readonly clock: Clock;
  /** Maximum number of active keys per merchant. */
  readonly keysMax: number;
  /** Called with each key that this process changes. */
  readonly changed: (keyId: string) => void;
};

type RevokerDeps = Pick<KeyIssuerDeps, "keys" | "clock" | "changed"> & {
  readonly carryOut: CarryOut;
};

/**
 * Time for which a repeat returns the key's text again. A day gives an operator's tool time to
 * retry. After it the encrypted text is deleted, so only a few keys can be decrypted from the
 * database.
 */
const secretShownMs = 24 * 60 * 60 * 1_000;

const sealContext = (merchantId: string, keyId: string) => `${merchantId}|${keyId}|secret`;

/** The place of the encrypted texts of new keys. */
export const sealedKeyTexts: SealedPlace = {
  collection: "api_keys",
  reseal: (document, sealer) => {
    const { _id, merchant_id, operation } = document as unknown as KeyDocument;
    const { sealed_secret: text } = operation;
    if (text === null) return undefined;
    const context = sealContext(merchant_id, _id);
    return resealTexts([{ path: "operation.sealed_secret", text, context }], sealer);
  },
};

/** The merchant of a new key, or the key that the new one succeeds. */
type IssuedFor = { readonly merchantId: string } | { readonly follows: string };

/**
 * Returns the key if this operation has already created it. Includes the key's text while the
 * encrypted text is stored.
 */
async function findCreated(
  { keys, sealer, clock }: KeyIssuerDeps,
  operationId: string,
  wanted: IssuedFor,
): Promise<IssuedKey | KeyRefusal | undefined> {
  const key = await findKept(keys, { "operation.id": operationId });
  if (key === null) return undefined;
  const { sealed_secret, secret_until } = key.operation;
  const { follows, merchant_id: merchantId } = key;
  const isSame =
    "follows" in wanted
      ? follows?.key_id === wanted.follows
      : follows === null && merchantId === wanted.merchantId;
  if (!isSame) return otherContent;
  // A key that the merchant creates itself is returned once. Its text is never stored.
  if (!isOperators(key.created_by)) return { key, secret: "" };
  if (sealed_secret === null || clock.now() >= secret_until) {
    return refused(
      "INVALID_REQUEST",
      "operation_id: the key that it created can no longer be shown: rotate the key",
    );
  }
  return { key, secret: sealer.open(sealed_secret, sealContext(merchantId, key._id)) };
}

/**
 * Returns true if an operator or a service creates the key. Their requests wait for a second
 * person's approval. A repeat after the approval returns the key's text.
 */
function isOperators({ kind }: StoredActor): boolean {
  return kind === "operator" || kind === "service";
}

type KeyPlan = {
  readonly order: KeyOrder;
  readonly follows: KeyDocument["follows"];
  /** `undefined` if the new key is its own root. */
  readonly root: string | undefined;
};

/** Creates the planned key. A repeat of the operation returns the same key. */
async function issue(
  deps: KeyIssuerDeps,
  by: Change,
  wanted: IssuedFor,
  plan: () => Promise<KeyPlan | KeyRefusal>,
): Promise<IssuedKey | KeyRefusal> {
  const before = await findCreated(deps, by.operationId, wanted);
  if (before !== undefined) return before;
  const planned = await plan();
  if (isRefused(planned)) return planned;
  const { order, follows, root } = planned;
  const newKey = makeKey(deps.mode, (size) => randomBytes(size));
  const now = deps.clock.now();
  const end = defaultEnd(deps.mode, now);
  const key: KeyDocument = {
    _id: newKey.id,
    schema_version: 1,
    merchant_id: order.merchantId,
    mode: deps.mode,
    digest: new Binary(keyDigest(newKey.text, currentPepper(deps.peppers))),
    pepper: deps.peppers.current,
    scopes: order.scopes,
    source_cidrs: order.sourceCidrs,
    description: order.description,
    expires_at: order.expiresAt ?? end,
    ...(order.expiresAt === null && end !== null && { expires_by_default: true }),
    overlap_ends_at: null,
    revoked_at: null,
    created_at: now,
    created_by: by.actor,
    root: root ?? newKey.id,
    operation: {
      id: by.operationId,
      sealed_secret: isOperators(by.actor)
        ? deps.sealer.seal(newKey.text, sealContext(order.merchantId, newKey.id))
        : null,
      secret_until: new Date(now.getTime() + secretShownMs),
    },
    follows,
  };
  const inserted = await insertKey(deps, key);
  if (inserted === "inserted") return { key, secret: newKey.text };
  if (inserted === "full") {
    return refused("INVALID_REQUEST", `There can be at most ${deps.keysMax} API keys.`);
  }
  const first = await findCreated(deps, by.operationId, wanted);
  if (first === undefined) throw new Error("duplicate key id");
  return first;
}

/**
 * Stores a key. The maximum number of keys doesn't apply to a rotation, because the old key will
 * end.
 */
async function insertKey({ keys, keysMax }: KeyIssuerDeps, key: KeyDocument) {
  if (key.follows !== null) return (await insertOnce(keys, key)) ? "inserted" : "exists";
  const of = aliveOf(key.merchant_id, key.created_at);
  return insertWithin(keys, key, { of, max: keysMax });
}

/** Creates a successor for a key. The old key ends after the overlap. */
async function rotateKey(
  deps: KeyIssuerDeps,
  by: Change,
  keyId: string,
  overlapSeconds: number,
): Promise<IssuedKey | KeyRefusal> {
  const issued = await issue(deps, by, { follows: keyId }, async () => {
    const problem = overlapProblem(overlapSeconds);
    if (problem !== undefined) return problem;
    const old = await deps.keys.findOne({ _id: keyId });
    // A revoked or expired key can't be rotated, because that would extend it.
    if (old === null || !isAlive(old, deps.clock.now())) return refused("RECORD_NOT_FOUND");
    const order: KeyOrder = {
      merchantId: old.merchant_id,
      scopes: old.scopes,
      expiresAt: old.expires_by_default === true ? null : old.expires_at,
      sourceCidrs: old.source_cidrs,
      description: old.description,
    };
    const follows = { key_id: keyId, overlap_seconds: overlapSeconds };
    return { order, follows, root: old.root };
  });
  if (isRefused(issued)) return issued;
  // If a crash interrupted the rotation, a repeat completes it.
  const overlapMs = (issued.key.follows?.overlap_seconds ?? 0) * 1_000;
  await endOverlap(deps.keys, keyId, new Date(issued.key.created_at.getTime() + overlapMs));
  deps.changed(keyId);
  return issued;
}

/**
 * Revokes a key, even an expired one. A second revocation doesn't change the revocation time. The
 * same write stores the choice for the key's orders. So the choice is carried out even if this call
 * fails later.
 */
async function revokeKey(
  { keys, clock, changed, carryOut }: RevokerDeps,
  by: Change,
  { keyId, merchantId }: { readonly keyId: string; readonly merchantId: string },
  orders: Disposition,
) {
  const revoked_by = { ...by.actor, operation_id: by.operationId };
  const now = clock.now();
  const stop = stopBy(orders, by, now);
  const wanted = { _id: keyId, ...(merchantId !== "" && { merchant_id: merchantId }) };
  await keys.updateOne(
    { ...wanted, revoked_at: null },
    { $set: { revoked_at: now, revoked_by, stop } },
  );
  await tighten(keys, wanted, stop);
  changed(keyId);
  const key = await keys.findOne(wanted);
  if (key === null) return refused("RECORD_NOT_FOUND");
  const stopped = { id: keyId, merchantId: key.merchant_id, stop: key.stop ?? stop };
  return { key, revocation: await carryOut(stopped) };
}

/** Limits the fields of a new key by the limits that the creating key has now. */
async function withinMaker(
  { keys, clock, mode }: KeyIssuerDeps,
  { kind, id }: StoredActor,
  order: KeyOrder,
): Promise<KeyOrder | KeyRefusal> {
  if (kind !== "api_key") return order;
  const maker = await keys.findOne({ _id: id, merchant_id: order.merchantId });
  // A revoked key must not create another key, even if the revocation happened during this request.
  if (maker === null || maker.revoked_at !== null) return refused("ACCESS_FORBIDDEN");
  const { scopes, source_cidrs: sourceCidrs } = maker;
  const limits = { scopes: new Set(scopes), sourceCidrs, endsAt: endOfKey(maker) };
  return childProblem(limits, order) ?? withInherited(limits, order, defaultEnd(mode, clock.now()));
}

/**
 * Returns the root of a new key. Returns `undefined` for operators and the sandbox, because the
 * keys that they create are roots.
 */
function rootOf(actor: StoredActor): string | undefined {
  return actor.kind === "api_key" || actor.kind === "member" ? rootOfActor(actor) : undefined;
}

function keyMessage(key: KeyDocument): Key {
  const end = endOfKey(key);
  return create(KeySchema, {
    id: key._id,
    merchantId: key.merchant_id,
    scopes: [...key.scopes],
    sourceCidrs: [...key.source_cidrs],
    createdAt: timestampFromDate(key.created_at),
    description: key.description,
    rootId: key.root,
    ...(end && { expiresAt: timestampFromDate(end) }),
    ...(key.revoked_at && { revokedAt: timestampFromDate(key.revoked_at) }),
  });
}

export function keyService(deps: KeyIssuerDeps & RevokerDeps): ServiceImpl<typeof KeyService> {
  return {
    createKey: async ({ mutation, merchantId, scopes, expiresAt, sourceCidrs, description }) => {
      const by = readMutation(mutation);
      const expiry = expiresAt === undefined ? null : timestampDate(expiresAt);
      const requested = { merchantId, scopes, expiresAt: expiry, sourceCidrs, description };
      const issued = await issue(deps, by, { merchantId }, async () => {
        const order = keyOrder(requested, deps.clock.now(), deps.mode);
        if (isRefused(order)) return order;
        const within = await withinMaker(deps, by.actor, order);
        if (isRefused(within)) return within;
        return { order: within, follows: null, root: rootOf(by.actor) };
      });
      const { key, secret } = orThrow(issued);
      return { key: keyMessage(key), secret };
    },
    rotateKey: async ({ mutation, keyId, overlapSeconds = overlapSecondsDefault }) => {
      const rotated = await rotateKey(deps, readMutation(mutation), keyId, overlapSeconds);
      const { key, secret } = orThrow(rotated);
      return { key: keyMessage(key), secret };
    },
    revokeKey: async ({ mutation, keyId, merchantId, orders: requested }) => {
      const orders = enumName(RevokedOrders, requested) ?? "hold";
      const revoked = await revokeKey(deps, readMutation(mutation), { keyId, merchantId }, orders);
      const { key, revocation } = orThrow(revoked);
      return { key: keyMessage(key), revocation };
    },
    listKeys: async ({ merchantId: merchant_id, ...page }) => {
      const order = oldestFirst;
      const { shown, ...rest } = await findCountedPage(deps.keys, { merchant_id }, page, { order });
      return { keys: shown.map(keyMessage), ...rest };
    },
  };
}

/** In live mode, a key that can create payouts requires a second person's approval. */
export function keyGuards({ keys, mode }: { keys: Keys; mode: Mode }): Guards<KeyRpc> {
  const approvers = ["admin"] as const;
  const reasonsOf = (scopes: readonly string[]): string[] => {
    const paying = secondPersonScopes(new Set(scopes));
    return mode === "live" && paying.length > 0
      ? [`the request creates a live key with ${paying.join(", ")}`]
      : [];
  };
  return {
    createKey: {
      approvers,
      difference: async ({ scopes, sourceCidrs, description }) => ({
        before: "",
        after: JSON.stringify({ key: { scopes, sourceCidrs, description } }),
      }),
      reasons: async ({ scopes }) => reasonsOf(scopes),
    },
    rotateKey: {
      approvers,
      difference: async ({ keyId, overlapSeconds = overlapSecondsDefault }) => {
        const key = await keys.findOne({ _id: keyId });
        const before = key && JSON.stringify({ keyId, scopes: key.scopes });
        return { before: before ?? "", after: JSON.stringify({ successor: { overlapSeconds } }) };
      },
      reasons: async ({ keyId }) => reasonsOf((await keys.findOne({ _id: keyId }))?.scopes ?? []),
    },
  };
}
