import { createHash } from "node:crypto";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { rescale } from "@disburse/kernel/decimal.ts";
import {
  type Account,
  creditKey,
  type EntryActor,
  type KnownEntries,
  type LedgerEntry,
  type Movement,
  movementKey,
  type Posting,
  reversalKey,
  type StatusCounts,
} from "./account.ts";
import {
  isBalanced,
  paymentPostings,
  plainPostings,
  postingText,
  returnPostings,
  reversed,
} from "./postings.ts";
import { isRailMovement, railDecidingKeys, railDraftOf, railKeyOf } from "./rail-movement.ts";

/** What the next movement of an account is planned on. */
export type LedgerState = Omit<Account, "createdAt">;

/** The result of planning a movement. */
export type Planned =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry; readonly state: LedgerState }
  /** It was applied before. */
  | { readonly outcome: "repeated"; readonly entry: LedgerEntry }
  | { readonly outcome: Refusal };

/** Why a movement is not applied. */
export type Refusal =
  | "insufficient"
  /** The balance would be more than is kept exactly. */
  | "full"
  /** There is no hold to end, no payment to return, no credit to reverse. */
  | "nothing_to_end"
  /** The hold was released where it would be posted, or the other way round. */
  | "ended_otherwise";

/** Balances stay within what Decimal128 keeps exactly. */
const balanceMax = 10n ** 33n;

/** The key under which a movement happens once. */
export function keyOf(accountId: string, movement: Movement): string {
  if (isRailMovement(movement)) return railKeyOf(accountId, movement);
  switch (movement.step) {
    case "credit":
      return creditKey(accountId, movement.operationId);
    case "reversal":
      return reversalKey(movement.creditKey);
    default:
      return movementKey(movement.payoutId, movement.step);
  }
}

/** The keys that decide on a movement: its own, and those of the entries that it depends on. */
export function decidingKeys(accountId: string, movement: Movement): string[] {
  const own = keyOf(accountId, movement);
  if (isRailMovement(movement)) return [own, ...railDecidingKeys(movement)];
  switch (movement.step) {
    case "credit":
    case "hold":
      return [own];
    case "reversal":
      return [own, movement.creditKey];
    case "post":
    case "release": {
      const { payoutId, step } = movement;
      const other = step === "post" ? "release" : "post";
      return [own, movementKey(payoutId, "hold"), movementKey(payoutId, other)];
    }
    case "return":
      return [own, movementKey(movement.payoutId, "post")];
  }
}

/**
 * Decides on one movement: `known` has every entry of the account under its deciding keys. Money
 * that is held is posted or released, once; what was posted returns once; a credit is reversed
 * once.
 */
export function planMovement(
  state: LedgerState,
  known: KnownEntries,
  movement: Movement,
  now: Date,
  actor?: EntryActor,
): Planned {
  const repeated = known.get(keyOf(state.id, movement));
  if (repeated !== undefined) return { outcome: "repeated", entry: repeated };
  const draft = draftOf(state, known, movement);
  if (typeof draft === "string") return { outcome: draft };
  const available = state.available + ownGain(draft.postings, "available", state.currency);
  const held = state.held + ownGain(draft.postings, "held", state.currency);
  // What a bank took it took: the account is overdrawn, and pays nothing until it is funded.
  const isTaken = available < state.available && movement.step !== "rail_charge";
  if ((available < 0n && isTaken) || held < 0n) return { outcome: "insufficient" };
  if (available >= balanceMax) return { outcome: "full" };
  if (!isBalanced(draft.postings)) throw new Error("a movement whose postings do not sum to zero");
  const unsealed = {
    key: keyOf(state.id, movement),
    accountId: state.id,
    merchantId: state.merchantId,
    currency: state.currency,
    step: movement.step,
    amount: draft.amount,
    payoutId: payoutIdOf(movement),
    note: movement.note,
    sequence: state.sequence + 1,
    available,
    held,
    postings: draft.postings,
    reverses: draft.reverses,
    previousHash: state.headHash,
    actor,
    createdAt: now > state.updatedAt ? now : state.updatedAt,
  };
  const entry = { ...unsealed, hash: hashOf(unsealed) };
  const { sequence, hash: headHash, createdAt: updatedAt } = entry;
  return {
    outcome: "applied",
    entry,
    state: {
      ...state,
      available,
      held,
      counts: countsAfter(state.counts, movement),
      sequence,
      headHash,
      updatedAt,
    },
  };
}

/** An account counts its payouts as it moves their money; an order whose quote expired is none. */
function countsAfter(counts: StatusCounts, movement: Movement): StatusCounts {
  const { initiated, succeeded, failed } = counts;
  switch (movement.step) {
    case "hold":
      return { ...counts, initiated: initiated + 1 };
    case "post":
      return { ...counts, initiated: initiated - 1, succeeded: succeeded + 1 };
    case "release":
      if (movement.ofOrder === true) return { ...counts, initiated: initiated - 1 };
      return { ...counts, initiated: initiated - 1, failed: failed + 1 };
    case "return":
      return { ...counts, succeeded: succeeded - 1, failed: failed + 1 };
    default:
      return counts;
  }
}

function payoutIdOf(movement: Movement): string {
  const named = movement.step === "rail_charge" ? movement.of : movement;
  return "payoutId" in named ? named.payoutId : "";
}

type Draft = Pick<LedgerEntry, "amount" | "postings" | "reverses">;

function draftOf(state: LedgerState, known: KnownEntries, movement: Movement): Draft | Refusal {
  const { currency } = state;
  if (isRailMovement(movement)) return railDraftOf(currency, known, movement);
  switch (movement.step) {
    case "credit":
    case "hold": {
      const { step, amount } = movement;
      return { amount, postings: plainPostings(step, amount, currency), reverses: "" };
    }
    case "release":
    case "post": {
      const { payoutId, step } = movement;
      const hold = known.get(movementKey(payoutId, "hold"));
      if (hold === undefined) return "nothing_to_end";
      if (known.has(movementKey(payoutId, step === "post" ? "release" : "post"))) {
        return "ended_otherwise";
      }
      const { amount } = hold;
      const postings =
        movement.step === "post"
          ? paymentPostings(amount, currency, movement.conversion)
          : plainPostings("release", amount, currency);
      return { amount, postings, reverses: "" };
    }
    case "return": {
      const post = known.get(movementKey(movement.payoutId, "post"));
      if (post === undefined) return "nothing_to_end";
      const postings = returnPostings(post.postings, currency, movement.short);
      return { amount: ownGain(postings, "available", currency), postings, reverses: post.key };
    }
    case "reversal": {
      const credit = known.get(movement.creditKey);
      if (credit === undefined || credit.step !== "credit") return "nothing_to_end";
      return { amount: credit.amount, postings: reversed(credit.postings), reverses: credit.key };
    }
  }
}

function ownGain(postings: readonly Posting[], balance: "available" | "held", currency: string) {
  const { decimals } = currencyOf(currency);
  return postings
    .filter(({ account }) => account === balance)
    .reduce((sum, { amount }) => sum + rescale(amount, decimals), 0n);
}

/**
 * The link of the chain: SHA-256 in hexadecimal over the rule's name, the hash before it and every
 * field of the entry (docs/decisions/0043-evidence.md).
 */
export function hashOf(entry: Omit<LedgerEntry, "hash">): string {
  const postings = entry.postings.map(({ account, currency, amount }) => [
    account,
    currency,
    postingText(amount),
  ]);
  const { previousHash, key, accountId, sequence, step, currency, payoutId, note } = entry;
  const { actor, merchantId } = entry;
  const fields = [
    ...["disburse ledger entry", previousHash, key, accountId, sequence, step, currency],
    ...[entry.amount.toString(), payoutId, note, entry.available.toString(), entry.held.toString()],
    ...[postings, entry.reverses, entry.createdAt.toISOString(), merchantId],
    actor === undefined ? null : [actor.kind, actor.id],
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}
