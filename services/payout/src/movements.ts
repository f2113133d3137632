import { toDecimal128 } from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import {
  type AccountCollections,
  type HoldIntent,
  ledgerDocument,
  type RecentMovement,
  toAccount,
  toLedgerEntry,
} from "./account-documents.ts";
import { effectOf, type LedgerEntry, type Movement } from "./domain/account.ts";

/** What applying a movement came to. `applied` also says that an earlier try had done it. */
export type Applied =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry }
  | { readonly outcome: "insufficient" | "too_late" | "no_account" };

/**
 * How long after its check a movement may still be applied (architecture: hold). Shorter than the
 * edge's 10 s: an account keeps the keys of this time and a little more, and has to stay small.
 */
export const deadlineMs = 5_000;
/** Balances stay within what Decimal128 keeps exactly. */
const balanceMax = 10n ** 33n;

/** The movement that was made under a key before, wherever it is by now. */
export async function findMovement(
  { accounts, ledger }: AccountCollections,
  accountId: string,
  key: string,
): Promise<LedgerEntry | undefined> {
  const account = await accounts.findOne({ _id: accountId });
  const recent = account?.recent.find((movement) => movement.key === key);
  if (account && recent) return toLedgerEntry(ledgerDocument(account, recent));
  const recorded = await ledger.findOne({ _id: key });
  return recorded === null ? undefined : toLedgerEntry(recorded);
}

/** What a movement is applied to, and until when. */
export type MovementTarget = {
  readonly merchantId: string;
  readonly accountId: string;
  readonly deadline: Date;
  /** Of a hold: what it takes to finish its payout. */
  readonly intent?: HoldIntent;
  /** Of a credit: who made it. */
  readonly actor?: StoredActor;
};

/**
 * Applies a movement in one conditional write, at most once a key: not when its key is among the
 * account's recent and applied ones, not without the money, not after the deadline by the
 * database's clock. The caller has looked for the key with `findMovement` after it read the clock.
 */
export async function applyMovement(
  { accounts, ledger }: AccountCollections,
  target: MovementTarget,
  movement: Movement,
): Promise<Applied> {
  const { merchantId, accountId, deadline } = target;
  const updated = await accounts.findOneAndUpdate(
    {
      _id: accountId,
      merchant_id: merchantId,
      "recent.key": { $ne: movement.key },
      "applied.key": { $ne: movement.key },
      ...funded(movement),
      $expr: { $lt: ["$$NOW", deadline] },
    },
    movementUpdate(movement, target),
    { returnDocument: "after" },
  );
  const found = updated ?? (await accounts.findOne({ _id: accountId, merchant_id: merchantId }));
  if (found === null) return { outcome: "no_account" };
  const made = found.recent.find(({ key }) => key === movement.key);
  if (made !== undefined) {
    return { outcome: "applied", entry: toLedgerEntry(ledgerDocument(found, made)) };
  }
  if (found.applied.some(({ key }) => key === movement.key)) {
    const recorded = await ledger.findOne({ _id: movement.key });
    if (recorded === null) throw new Error("an applied movement is not in the ledger");
    return { outcome: "applied", entry: toLedgerEntry(recorded) };
  }
  const { available, held } = toAccount(found);
  const effect = effectOf(movement);
  const isShort = available + effect.available < 0n || held + effect.held < 0n;
  const isFull = available + effect.available >= balanceMax;
  return { outcome: isShort || isFull ? "insufficient" : "too_late" };
}

/** Notes that the fate of holds is known: their payouts exist, or they were released. */
export async function closeHolds(
  { accounts }: AccountCollections,
  accountId: string,
  keys: readonly string[],
): Promise<void> {
  const isNamed = { $in: ["$$each.key", [...keys]] };
  const isOpenAndNamed = { $and: [isNamed, { $gt: ["$$each.open_since", null] }] };
  const unset = { $unsetField: { field: "open_since", input: "$$each" } };
  const closed = { $mergeObjects: [unset, { closed_at: "$$NOW" }] };
  const each = { $cond: [isOpenAndNamed, closed, "$$each"] };
  const recent = { $map: { input: "$recent", as: "each", in: each } };
  await accounts.updateOne({ _id: accountId }, [{ $set: { recent } }]);
}

/** The open holds of one account. */
export type OpenHolds = {
  readonly accountId: string;
  readonly merchantId: string;
  readonly holds: readonly RecentMovement[];
};

/** Holds that are open since before `before`, by account. */
export async function* openHolds(
  { accounts }: AccountCollections,
  before: Date,
): AsyncGenerator<OpenHolds> {
  for await (const account of accounts.find({ dirty: true })) {
    const { _id: accountId, merchant_id: merchantId, recent } = account;
    const holds = recent.filter(({ open_since }) => open_since && open_since < before);
    if (holds.length > 0) yield { accountId, merchantId, holds };
  }
}

/** The account has what the movement takes, and room for what it brings. */
function funded(movement: Movement) {
  const { available, held } = effectOf(movement);
  const needs = (effect: bigint) => ({ $gte: toDecimal128(-effect) });
  return {
    ...(available < 0n ? { available: needs(available) } : {}),
    ...(available > 0n ? { available: { $lt: toDecimal128(balanceMax - available) } } : {}),
    ...(held < 0n ? { held: needs(held) } : {}),
  };
}

function movementUpdate(movement: Movement, { intent, actor }: MovementTarget) {
  const effect = effectOf(movement);
  const available = { $add: ["$available", toDecimal128(effect.available)] };
  const held = { $add: ["$held", toDecimal128(effect.held)] };
  const sequence = { $add: ["$sequence", 1] };
  const { key, step, amount, payoutId, note } = movement;
  const words = {
    key,
    step,
    amount: toDecimal128(amount),
    payout_id: payoutId,
    note,
    intent,
    actor,
  };
  const entry = {
    $mergeObjects: [
      { $literal: words },
      { sequence, available, held, at: "$$NOW" },
      intent === undefined ? {} : { open_since: "$$NOW" },
    ],
  };
  return [
    {
      $set: {
        available,
        held,
        sequence,
        updated_at: "$$NOW",
        recent: { $concatArrays: ["$recent", [entry]] },
        dirty: true,
      },
    },
  ];
}
