import { createHash } from "node:crypto";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { rescale } from "@disburse/kernel/decimal.ts";
import {
  type Account,
  creditKey,
  type EntryActor,
  holdIdOf,
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

/** The parts of an account that decide on its movements. */
export type LedgerState = Omit<
  Account,
  "createdAt" | "name" | "topUpInstructions" | "lowBalanceThreshold"
>;

export type Planned =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry; readonly state: LedgerState }
  | { readonly outcome: "repeated"; readonly entry: LedgerEntry }
  | { readonly outcome: Refusal };

export type Refusal =
  | "insufficient"
  /** The balance would exceed the maximum, `balanceMax`. */
  | "full"
  /** There is no hold to end, no payment to return, or no credit to reverse. */
  | "nothing_to_end"
  /** A closed account takes no new holds and credits. */
  | "closed"
  /**
   * The hold can't be posted because it was released, or can't be released because it was posted.
   */
  | "ended_otherwise";

/** The maximum balance. Decimal128 stores every smaller amount exactly. */
const balanceMax = 10n ** 33n;

/** Steps that bring money into an account or begin to spend it. All others end what has begun. */
const opening: ReadonlySet<string> = new Set(["credit", "reserve", "hold"]);

/** The idempotency key of a movement. */
export function keyOf(accountId: string, movement: Movement): string {
  if (isRailMovement(movement)) return railKeyOf(accountId, movement);
  switch (movement.step) {
    case "credit":
      return creditKey(accountId, movement.operationId);
    case "reversal":
      return reversalKey(movement.creditKey);
    case "reserve":
    case "unreserve":
      return movementKey(movement.orderId, movement.step);
    default:
      return movementKey(holdIdOf(movement), movement.step);
  }
}

/** Returns the key of the movement and the keys of all entries that its result depends on. */
export function decidingKeys(accountId: string, movement: Movement): string[] {
  const own = keyOf(accountId, movement);
  if (isRailMovement(movement)) return [own, ...railDecidingKeys(movement)];
  switch (movement.step) {
    case "credit":
    case "reserve":
      return [own];
    case "unreserve":
      return [own, movementKey(movement.orderId, "reserve")];
    case "hold": {
      const { reservedFor: id } = movement;
      return id === undefined ? [own] : [own, ...reservationKeys(id)];
    }
    case "reversal":
      return [own, movement.creditKey];
    case "post":
    case "release": {
      const holdId = holdIdOf(movement);
      const other = movement.step === "post" ? "release" : "post";
      return [own, movementKey(holdId, "hold"), movementKey(holdId, other)];
    }
    case "return":
      return [own, movementKey(holdIdOf(movement), "post")];
  }
}

export const reservationKeys = (orderId: string) =>
  (["reserve", "unreserve"] as const).map((step) => movementKey(orderId, step));

/** The entries of one movement, the last of which is its own, or its repeat or refusal. */
export type PlannedEntries =
  | {
      readonly outcome: "applied";
      readonly entries: readonly [...LedgerEntry[], LedgerEntry];
      readonly state: LedgerState;
    }
  | Exclude<Planned, { readonly outcome: "applied" }>;

/**
 * Applies or refuses a movement. A hold for an order with an open reservation first ends the
 * reservation. Both entries are applied or none. So the reserved money is the payout's at once, the
 * rest is available again, and no other movement comes between.
 */
export function planEntries(
  state: LedgerState,
  known: KnownEntries,
  movement: Movement,
  now: Date,
  actor?: EntryActor,
): PlannedEntries {
  const end = endOfReservation(state.id, known, movement);
  const ended = end && planMovement(state, known, end, now);
  if (ended?.outcome !== "applied") {
    const planned = planMovement(state, known, movement, now, actor);
    return planned.outcome === "applied" ? { ...planned, entries: [planned.entry] } : planned;
  }
  const held = planMovement(ended.state, known, movement, now, actor);
  return held.outcome === "applied" ? { ...held, entries: [ended.entry, held.entry] } : held;
}

function endOfReservation(
  accountId: string,
  known: KnownEntries,
  movement: Movement,
): Movement | undefined {
  if (movement.step !== "hold" || movement.reservedFor === undefined) return undefined;
  if (known.has(keyOf(accountId, movement))) return undefined;
  const { reservedFor: orderId, note } = movement;
  const isOpen = known.has(movementKey(orderId, "reserve"));
  return isOpen ? { step: "unreserve", orderId, note } : undefined;
}

/**
 * Applies or refuses one movement. `known` must contain all of the account's entries under the
 * deciding keys. A hold is either posted or released, once. A posted payment is returned at most
 * once. A credit is reversed at most once.
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
  if (state.closedAt !== undefined && opening.has(movement.step)) return { outcome: "closed" };
  const draft = draftOf(state, known, movement);
  if (typeof draft === "string") return { outcome: draft };
  const available = state.available + ownGain(draft.postings, "available", state.currency);
  const held = state.held + ownGain(draft.postings, "held", state.currency);
  // A charge is booked even if it overdraws the account. The account then pays nothing until it is
  // funded.
  const isTaken = available < state.available && movement.step !== "rail_charge";
  if ((available < 0n && isTaken) || held < 0n) return { outcome: "insufficient" };
  if (available >= balanceMax) return { outcome: "full" };
  if (!isBalanced(draft.postings)) throw new Error("the postings of a movement don't sum to zero");
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

/**
 * Updates the payout counts for a movement. A hold that is released because its quote expired no
 * longer counts.
 */
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
  if ("orderId" in movement) return movement.orderId;
  const named = movement.step === "rail_charge" ? movement.of : movement;
  return "payoutId" in named ? named.payoutId : "";
}

type Draft = Pick<LedgerEntry, "amount" | "postings" | "reverses">;

function draftOf(state: LedgerState, known: KnownEntries, movement: Movement): Draft | Refusal {
  const { currency } = state;
  if (isRailMovement(movement)) return railDraftOf(currency, known, movement);
  switch (movement.step) {
    case "credit":
    case "reserve":
    case "hold": {
      const { step, amount } = movement;
      return { amount, postings: plainPostings(step, amount, currency), reverses: "" };
    }
    case "unreserve": {
      const reserve = known.get(movementKey(movement.orderId, "reserve"));
      if (reserve === undefined) return "nothing_to_end";
      const { amount } = reserve;
      return { amount, postings: plainPostings(movement.step, amount, currency), reverses: "" };
    }
    case "release":
    case "post": {
      const { step } = movement;
      const holdId = holdIdOf(movement);
      const hold = known.get(movementKey(holdId, "hold"));
      if (hold === undefined) return "nothing_to_end";
      if (known.has(movementKey(holdId, step === "post" ? "release" : "post"))) {
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
      const post = known.get(movementKey(holdIdOf(movement), "post"));
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
 * Hashes the hash rule's name, the previous hash and every field of the entry: SHA-256 in
 * hexadecimal (docs/decisions/0043-evidence.md).
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
