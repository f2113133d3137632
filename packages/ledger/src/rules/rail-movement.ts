import {
  type KnownEntries,
  type LedgerEntry,
  movementKey,
  type RailMovement,
  railKey,
} from "./account.ts";
import { railPostings } from "./postings.ts";

/** The part of an entry that doesn't depend on its position in the chain. */
export type RailDraft = Pick<LedgerEntry, "amount" | "postings" | "reverses">;

/** The idempotency key of a rail movement. */
export function railKeyOf(accountId: string, movement: RailMovement): string {
  switch (movement.step) {
    case "fund":
    case "sweep":
      return railKey(accountId, movement.step, movement.operationId);
    case "rail_charge": {
      const { of } = movement;
      if ("operationId" in of) return railKey(accountId, "charge", of.operationId);
      const { payoutId, number = 1 } = of;
      return railKey(accountId, "charge", number === 1 ? payoutId : `${payoutId}:${number}`);
    }
    default:
      return movementKey(movement.payoutId, movement.step);
  }
}

/** The keys of the entries that a rail movement depends on. */
export function railDecidingKeys(movement: RailMovement): string[] {
  switch (movement.step) {
    case "fund":
    case "sweep":
    case "rail_charge":
      return [];
    case "rail_hold":
      return [movementKey(movement.payoutId, "rail_release")];
    case "rail_post":
    case "rail_release": {
      const { payoutId, step } = movement;
      const other = step === "rail_post" ? "rail_release" : "rail_post";
      return [movementKey(payoutId, "rail_hold"), movementKey(payoutId, other)];
    }
    case "rail_return":
      return [movementKey(movement.payoutId, "rail_post")];
  }
}

/**
 * Decides on a movement of a rail account. A hold is either posted or released, once. A release
 * without a hold creates an entry of zero, which blocks any later hold. A late worker therefore
 * can't hold money for a payout that has ended.
 */
export function railDraftOf(
  currency: string,
  known: KnownEntries,
  movement: RailMovement,
): RailDraft | "nothing_to_end" | "ended_otherwise" {
  switch (movement.step) {
    case "fund":
    case "sweep":
    case "rail_charge": {
      const { step, amount } = movement;
      return { amount, postings: railPostings(step, amount, currency), reverses: "" };
    }
    case "rail_hold": {
      if (known.has(movementKey(movement.payoutId, "rail_release"))) return "ended_otherwise";
      const { step, amount } = movement;
      return { amount, postings: railPostings(step, amount, currency), reverses: "" };
    }
    case "rail_post":
    case "rail_release": {
      const { payoutId, step } = movement;
      const other = step === "rail_post" ? "rail_release" : "rail_post";
      if (known.has(movementKey(payoutId, other))) return "ended_otherwise";
      const hold = known.get(movementKey(payoutId, "rail_hold"));
      if (hold === undefined && step === "rail_post") return "nothing_to_end";
      const amount = hold?.amount ?? 0n;
      return { amount, postings: railPostings(step, amount, currency), reverses: "" };
    }
    case "rail_return": {
      const post = known.get(movementKey(movement.payoutId, "rail_post"));
      if (post === undefined) return "nothing_to_end";
      const amount = post.amount - movement.shortMinor;
      if (movement.shortMinor < 0n || amount <= 0n) throw new Error("a return of nothing");
      return {
        amount,
        postings: railPostings("rail_return", amount, currency),
        reverses: post.key,
      };
    }
  }
}

export function isRailMovement<M extends { readonly step: string }>(
  movement: M,
): movement is Extract<M, RailMovement> {
  return movement.step === "fund" || movement.step === "sweep" || movement.step.startsWith("rail_");
}
