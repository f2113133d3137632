import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { PayoutControls } from "../controls/store.ts";
import type { VelocityLimits } from "./limits.ts";
import { exceededSentence, type LimitedSubject, type MerchantLimits } from "./rules/limits.ts";
import {
  type Counted,
  count,
  giveBack,
  giveUp,
  partsOf,
  type ReservationRequest,
  reserve,
  type Usage,
  unused,
} from "./rules/usage.ts";
import { type Limit, usedOf } from "./rules/window.ts";
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

    /**
     * Reads the usages of payouts that are only rehearsed. The result reserves and counts in memory,
     * so that each payout sees the ones before it. Nothing is read for a merchant without limits and
     * approval rules.
     */
    rehearse: async (payouts: readonly CountedParties[], now: Date): Promise<Rehearsal> => {
      const [first] = payouts;
      const own = first && limits.of(first.merchantId);
      const isCounted =
        first !== undefined && controls.of(first.merchantId)?.approval !== undefined;
      const ids = payouts.flatMap((each) => [
        ...(own === undefined ? [] : usagesOf(each).map(({ id }) => id)),
        ...(isCounted ? countsOf(each) : []),
      ]);
      const usages = await readUsages(usage, ids);
      return rehearsal(usages, own, now);
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

/** The maximum number of usages in one read. Each has at most 200 KB, and most are far smaller. */
const readMax = 200;

async function readUsages(usage: UsageStore, ids: readonly string[]): Promise<Map<string, Usage>> {
  const all = [...new Set(ids)];
  const usages = new Map<string, Usage>();
  for (let at = 0; at < all.length; at += readMax) {
    for (const [id, each] of await usage.readAll(all.slice(at, at + readMax))) usages.set(id, each);
  }
  return usages;
}

/** The remaining part of a limit before a payout. */
export type LimitLeft = {
  readonly subject: LimitedSubject;
  readonly limit: Limit;
  readonly left: bigint;
};

/** Reservations that only this process sees. */
export type Rehearsal = ReturnType<typeof rehearsal>;

function rehearsal(usages: Map<string, Usage>, own: MerchantLimits | undefined, now: Date) {
  const of = (id: string) => usages.get(id) ?? unused;
  return {
    /** `isKept` is false for a payout that another check refuses. Later payouts then don't see it. */
    reserve: (
      request: PayoutReservation,
      isKept: boolean,
    ): Refused<"LIMIT_EXCEEDED"> | "reserved" => {
      const reserved = new Map<string, Usage>();
      for (const { subject, id } of own === undefined ? [] : usagesOf(request)) {
        const made = reserve(of(id), own?.[subject] ?? [], request, now);
        if (made.answer !== "reserved") {
          return refused("LIMIT_EXCEEDED", exceededSentence(subject, made.answer));
        }
        reserved.set(id, made.usage);
      }
      if (isKept) for (const [id, made] of reserved) usages.set(id, made);
      return "reserved";
    },
    count: (request: PayoutReservation & CountedParties, isKept: boolean): Counted[] =>
      countsOf(request).map((id) => {
        const made = count(of(id), request, now);
        if (isKept) usages.set(id, made.usage);
        return made.answer;
      }),
    /**
     * Returns the remaining part of each limit. During a rotation of the hash key, a destination has
     * two usages. The one with less left decides, as for an execute.
     */
    left: (parties: Parties): LimitLeft[] => {
      const all = (own === undefined ? [] : usagesOf(parties)).flatMap(({ subject, id }) =>
        (own?.[subject] ?? []).map((limit) => {
          const left = limit.max - usedOf(partsOf(of(id)), limit, now);
          return { subject, limit, left: left > 0n ? left : 0n };
        }),
      );
      const lowest = new Map<Limit, LimitLeft>();
      for (const each of all) {
        const before = lowest.get(each.limit);
        if (before === undefined || each.left < before.left) lowest.set(each.limit, each);
      }
      return [...lowest.values()];
    },
  };
}

/** Reserved limits. `giveUp` releases them after the execute was refused. */
export type Reserved = { readonly giveUp: () => Promise<void> };
