import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { PayoutControls } from "../controls/store.ts";
import type { VelocityLimits } from "./limits.ts";
import { exceededSentence } from "./rules/limits.ts";
import {
  type Counted,
  count,
  giveBack,
  giveUp,
  type ReservationRequest,
  reserve,
} from "./rules/usage.ts";
import type { UsageStore } from "./usage.ts";

type Parties = {
  readonly merchantId: string;
  /**
   * Keyed hashes of the paid account or wallet. There are two of them while the hash key is being
   * rotated.
   */
  readonly destinationKeys: readonly string[];
};

type CountedParties = Parties & { readonly actorRoot: string };

type PayoutReservation = ReservationRequest & Parties;

export type VelocityReservations = ReturnType<typeof createVelocityReservations>;

/**
 * Returns the usages that count a payout for limits. Each destination key has its own usage, so
 * payouts before and after a key rotation share one. The destination comes before the merchant: if
 * its limit refuses, no part of the merchant's limit must have been reserved, even for a moment.
 */
function usagesOf({ merchantId, destinationKeys }: Parties) {
  const destinations = destinationKeys.toSorted().map((key) => `${merchantId}:${key}`);
  return [
    ...destinations.map((id) => ({ subject: "beneficiary", id }) as const),
    { subject: "merchant", id: merchantId } as const,
  ];
}

/** Returns the usages that count a payout for approval rules with a window. */
function countsOf({ merchantId, destinationKeys, actorRoot }: CountedParties): string[] {
  const destinations = destinationKeys.map((key) => `${merchantId}:to:${key}`);
  return [...destinations, `${merchantId}:by:${actorRoot}`];
}

/**
 * Creates the reservations. Each payout reserves its merchant's limits under the payout's id, if
 * there are limits. Payouts are also counted for approval rules, which never refuse.
 */
export function createVelocityReservations(
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
     * Reserves limits for an execute. A repeat shares the first reservation. After a crash, the
     * sweep releases the reservation once no payout can use it.
     */
    reserve: async (request: PayoutReservation): Promise<Reserved | Refused<"LIMIT_EXCEEDED">> => {
      const own = limits.of(request.merchantId);
      const reserved: string[] = [];
      for (const { subject, id } of own === undefined ? [] : usagesOf(request)) {
        const rules = own?.[subject] ?? [];
        if (rules.length === 0) continue;
        const answer = await usage.change(id, (before, now) =>
          reserve(before, rules, request, now),
        );
        if (answer !== "reserved") {
          await giveUpIn(reserved, request.payoutId);
          return refused("LIMIT_EXCEEDED", exceededSentence(subject, answer));
        }
        reserved.push(id);
      }
      return { giveUp: () => giveUpIn(reserved, request.payoutId) };
    },

    /**
     * Counts a payout for its destination and for its actor. Returns the payouts that each of the
     * two had counted earlier.
     */
    count: async (request: PayoutReservation & CountedParties) => {
      const ids = countsOf(request);
      const counted: Counted[] = [];
      for (const id of ids) {
        counted.push(await usage.change(id, (before, now) => count(before, request, now)));
      }
      return { counted, giveUp: () => giveUpIn(ids, request.payoutId) };
    },

    /** Releases the reservation of a failed payout. A repeat changes nothing. */
    giveBack: async (payoutId: string, parties: CountedParties): Promise<void> => {
      const { merchantId } = parties;
      // A merchant that never had limits or rules has no reservations to release.
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

/** Reserved limits. `giveUp` releases them after the execute was refused. */
export type Reserved = { readonly giveUp: () => Promise<void> };
