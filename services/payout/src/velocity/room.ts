import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { PayoutControls } from "../controls/settings.ts";
import type { VelocityLimits } from "./limits.ts";
import { exceededSentence } from "./rules/limits.ts";
import { type AskedRoom, type Counted, count, giveBack, giveUp, reserve } from "./rules/usage.ts";
import type { UsageStore } from "./usage.ts";

/** Whose room a payout takes. */
type Parties = {
  readonly merchantId: string;
  /** Keyed hashes of the account or wallet that is paid: two around a rotation of their key. */
  readonly destinationKeys: readonly string[];
};

/** A payout's parties, and the root of the actor that executed it. */
type CountedParties = Parties & { readonly actorRoot: string };

/** A payout that needs room, and its parties. */
type PayoutRoom = AskedRoom & Parties;

/** The room that velocity limits leave to payouts. */
export type VelocityRoom = ReturnType<typeof createVelocityRoom>;

/**
 * The usages that a payout is counted in. That of every key counts, so payouts of before and after a
 * rotation have one in common. The narrower subject is first: a refusal by it never takes a
 * merchant's room meanwhile.
 */
function usagesOf({ merchantId, destinationKeys }: Parties) {
  const destinations = destinationKeys.toSorted().map((key) => `${merchantId}:${key}`);
  return [
    ...destinations.map((id) => ({ subject: "beneficiary", id }) as const),
    { subject: "merchant", id: merchantId } as const,
  ];
}

/** The usages in which a payout counts for approval rules with a window. */
function countsOf({ merchantId, destinationKeys, actorRoot }: CountedParties): string[] {
  const destinations = destinationKeys.map((key) => `${merchantId}:to:${key}`);
  return [...destinations, `${merchantId}:by:${actorRoot}`];
}

/**
 * Reserves the room of payouts under their ids, where their merchant has limits, and counts them
 * for its approval rules, which refuse nothing.
 */
export function createVelocityRoom(
  limits: Pick<VelocityLimits, "of">,
  controls: Pick<PayoutControls, "of">,
  usage: UsageStore,
) {
  const giveUpIn = async (ids: readonly string[], payoutId: string): Promise<void> => {
    for (const id of ids) {
      await usage.change(id, (before) => ({
        usage: giveUp(before, payoutId),
        answer: undefined,
      }));
    }
  };

  return {
    /**
     * Reserves room for an execute; a repeat of its payout joins the reservation. What a crash
     * leaves reserved, the sweep gives back once no payout can come of it.
     */
    reserve: async (asked: PayoutRoom): Promise<Reserved | Refused<"LIMIT_EXCEEDED">> => {
      const own = limits.of(asked.merchantId);
      const reserved: string[] = [];
      for (const { subject, id } of own === undefined ? [] : usagesOf(asked)) {
        const rules = own?.[subject] ?? [];
        if (rules.length === 0) continue;
        const answer = await usage.change(id, (before, now) => reserve(before, rules, asked, now));
        if (answer !== "reserved") {
          await giveUpIn(reserved, asked.payoutId);
          return refused("LIMIT_EXCEEDED", exceededSentence(subject, answer));
        }
        reserved.push(id);
      }
      return { giveUp: () => giveUpIn(reserved, asked.payoutId) };
    },

    /** Counts a payout for its destination and its actor; returns those counted before it in each. */
    count: async (asked: PayoutRoom & CountedParties) => {
      const ids = countsOf(asked);
      const counted: Counted[] = [];
      for (const id of ids) {
        counted.push(await usage.change(id, (before, now) => count(before, asked, now)));
      }
      return { counted, giveUp: () => giveUpIn(ids, asked.payoutId) };
    },

    /** Gives back the room of a payout whose money was released; a repeat changes nothing. */
    giveBack: async (payoutId: string, parties: CountedParties): Promise<void> => {
      const { merchantId } = parties;
      // A merchant that never had limits or rules has reserved nothing.
      const limited = limits.of(merchantId) === undefined ? [] : usagesOf(parties);
      const isCounted = controls.of(merchantId)?.approval !== undefined;
      const ids = [...limited.map(({ id }) => id), ...(isCounted ? countsOf(parties) : [])];
      for (const id of ids) {
        await usage.change(id, (before) => ({
          usage: giveBack(before, payoutId),
          answer: undefined,
        }));
      }
    },
  };
}

/** Room that an execute has reserved, until it gives up: then a payout of it is not made. */
export type Reserved = { readonly giveUp: () => Promise<void> };
