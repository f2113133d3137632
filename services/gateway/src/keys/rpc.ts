import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { wordOf } from "@disburse/chassis/enum-words.ts";
import { findKept, insertWithin } from "@disburse/chassis/mongo/bound.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
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

/** A new key and its text, which is shown here and in a repeat's answer only. */
type IssuedKey = { readonly key: KeyDocument; readonly secret: string };
type KeyRefusal = Refused<"INVALID_REQUEST" | "RECORD_NOT_FOUND" | "ACCESS_FORBIDDEN">;

/** What keys are issued with. */
export type KeyIssuerDeps = {
  readonly keys: Keys;
  readonly sealer: Sealer;
  readonly peppers: Peppers;
  readonly mode: Mode;
  readonly clock: Clock;
  /** Keys of a merchant that work at a time. */
  readonly keysMax: number;
  /** Called for each key that was changed here. */
  readonly changed: (keyId: string) => void;
};

type RevokerDeps = Pick<KeyIssuerDeps, "keys" | "clock" | "changed"> & {
  readonly carryOut: CarryOut;
};

/**
 * A repeat of the operation shows the key's text again for a day: long enough for an operator's
 * tool to try again, short enough that few keys can be read back from the database with its
 * encryption key.
 */
const secretShownMs = 24 * 60 * 60 * 1_000;

const sealContext = (merchantId: string, keyId: string) => `${merchantId}|${keyId}|secret`;

/** The texts of new keys, until they are forgotten. */
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

/** What an operation is for: a key of a merchant, or one that follows another. */
type IssuedFor = { readonly merchantId: string } | { readonly follows: string };

/** The key that this operation made before, if it did, with its text while that is kept. */
async function madeBefore(
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
  // A merchant's own key was shown once, and is stored nowhere.
  if (!isOperators(key.created_by)) return { key, secret: "" };
  if (sealed_secret === null || clock.now() >= secret_until) {
    return refused("INVALID_REQUEST", "operation_id: its key can no longer be shown, rotate it");
  }
  return { key, secret: sealer.open(sealed_secret, sealContext(merchantId, key._id)) };
}

/** Operators get a key after a second person has approved: by a repeat, which shows its text. */
function isOperators({ kind }: StoredActor): boolean {
  return kind === "operator" || kind === "service";
}

type KeyPlan = {
  readonly order: KeyOrder;
  readonly follows: KeyDocument["follows"];
  /** Of a key that another key or member created, or that follows another. */
  readonly root: string | undefined;
};

/** Makes the key of a plan; a repeat of the operation answers with the first one. */
async function issue(
  deps: KeyIssuerDeps,
  by: Change,
  wanted: IssuedFor,
  plan: () => Promise<KeyPlan | KeyRefusal>,
): Promise<IssuedKey | KeyRefusal> {
  const before = await madeBefore(deps, by.operationId, wanted);
  if (before !== undefined) return before;
  const planned = await plan();
  if (isRefused(planned)) return planned;
  const { order, follows, root } = planned;
  const made = makeKey(deps.mode, (size) => randomBytes(size));
  const now = deps.clock.now();
  const end = defaultEnd(deps.mode, now);
  const key: KeyDocument = {
    _id: made.id,
    schema_version: 1,
    merchant_id: order.merchantId,
    mode: deps.mode,
    digest: new Binary(keyDigest(made.text, currentPepper(deps.peppers))),
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
    root: root ?? made.id,
    operation: {
      id: by.operationId,
      sealed_secret: isOperators(by.actor)
        ? deps.sealer.seal(made.text, sealContext(order.merchantId, made.id))
        : null,
      secret_until: new Date(now.getTime() + secretShownMs),
    },
    follows,
  };
  const inserted = await insertKey(deps, key);
  if (inserted === "inserted") return { key, secret: made.text };
  if (inserted === "full") {
    return refused("INVALID_REQUEST", `There can be at most ${deps.keysMax} API keys.`);
  }
  const first = await madeBefore(deps, by.operationId, wanted);
  if (first === undefined) throw new Error("a key id was made twice");
  return first;
}

/** Stores a key. A rotation is never refused for the bound: the key that it follows ends. */
async function insertKey({ keys, keysMax }: KeyIssuerDeps, key: KeyDocument) {
  if (key.follows !== null) return (await insertOnce(keys, key)) ? "inserted" : "exists";
  const of = aliveOf(key.merchant_id, key.created_at);
  return insertWithin(keys, key, { of, max: keysMax });
}

/** Makes a key like an old one, which ends after the overlap. */
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
    // A rotation does not extend a key that was revoked or has ended.
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
  // A repeat after a crash in between finishes what was begun.
  const overlapMs = (issued.key.follows?.overlap_seconds ?? 0) * 1_000;
  await endOverlap(deps.keys, keyId, new Date(issued.key.created_at.getTime() + overlapMs));
  deps.changed(keyId);
  return issued;
}

/**
 * Revokes a key, also one that has expired; the first time stays. What happens to its orders is
 * stored in the same write: from then on the key is refused, whatever becomes of this call.
 */
async function revokeKey(
  { keys, clock, changed, carryOut }: RevokerDeps,
  by: Change,
  keyId: string,
  orders: Disposition,
) {
  const revoked_by = { ...by.actor, operation_id: by.operationId };
  const now = clock.now();
  const stop = stopBy(orders, by, now);
  await keys.updateOne(
    { _id: keyId, revoked_at: null },
    { $set: { revoked_at: now, revoked_by, stop } },
  );
  await tighten(keys, { _id: keyId }, stop);
  changed(keyId);
  const key = await keys.findOne({ _id: keyId });
  if (key === null) return refused("RECORD_NOT_FOUND");
  const stopped = { id: keyId, merchantId: key.merchant_id, stop: key.stop ?? stop };
  return { key, revocation: await carryOut(stopped) };
}

/** The order of a key with the limits of the key that creates it, as that key is now. */
async function withinMaker(
  { keys, clock, mode }: KeyIssuerDeps,
  { kind, id }: StoredActor,
  order: KeyOrder,
): Promise<KeyOrder | KeyRefusal> {
  if (kind !== "api_key") return order;
  const maker = await keys.findOne({ _id: id, merchant_id: order.merchantId });
  // A request of a key that was revoked a moment ago makes no key that outlives it.
  if (maker === null || maker.revoked_at !== null) return refused("ACCESS_FORBIDDEN");
  const { scopes, source_cidrs: sourceCidrs } = maker;
  const limits = { scopes: new Set(scopes), sourceCidrs, endsAt: endOfKey(maker) };
  return childProblem(limits, order) ?? withInherited(limits, order, defaultEnd(mode, clock.now()));
}

/** The root of what an actor creates; none for an operator or the sandbox: that is its own root. */
function rootOf(actor: StoredActor): string | undefined {
  return actor.kind === "api_key" || actor.kind === "member" ? rootOfActor(actor) : undefined;
}

/** A key as operators see it: everything but its secret part. */
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

/** `KeyService`: parse, issue or revoke, reply. */
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
    revokeKey: async ({ mutation, keyId, orders: asked }) => {
      const orders = wordOf(RevokedOrders, asked) ?? "hold";
      const revoked = await revokeKey(deps, readMutation(mutation), keyId, orders);
      const { key, revocation } = orThrow(revoked);
      return { key: keyMessage(key), revocation };
    },
    listKeys: async ({ merchantId }) => {
      const found = deps.keys.find({ merchant_id: merchantId }).sort({ created_at: 1, _id: 1 });
      return { keys: (await found.toArray()).map(keyMessage) };
    },
  };
}

/** Live keys that can make payouts wait for a second person. */
export function keyGuards({ keys, mode }: { keys: Keys; mode: Mode }): Guards<KeyRpc> {
  const approvers = ["admin"] as const;
  const reasonsOf = (scopes: readonly string[]): string[] => {
    const paying = secondPersonScopes(new Set(scopes));
    return mode === "live" && paying.length > 0 ? [`a live key with ${paying.join(", ")}`] : [];
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
