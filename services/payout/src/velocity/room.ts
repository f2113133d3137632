import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { VelocityLimits } from "./limits.ts";
import { exceededSentence, type LimitedSubject } from "./rules/limits.ts";
import { type AskedRoom, giveBack, giveUp, reserve } from "./rules/usage.ts";
import type { UsageStore } from "./usage.ts";

/** Whose room a payout takes. */
type Parties = { readonly merchantId: string; readonly beneficiaryId: string };

/** A payout that needs room, and its parties. */
type PayoutRoom = AskedRoom & Parties;

/** The room that velocity limits leave to payouts. */
export type VelocityRoom = ReturnType<typeof createVelocityRoom>;

/** The narrower subject first, so that a refusal by it never takes a merchant's room meanwhile. */
const subjects: readonly LimitedSubject[] = ["beneficiary", "merchant"];

/** Reserves the room of payouts under their ids, where their merchant has limits. */
export function createVelocityRoom(limits: Pick<VelocityLimits, "of">, usage: UsageStore) {
  const idOf = (subject: LimitedSubject, { merchantId, beneficiaryId }: Parties) =>
    subject === "merchant" ? merchantId : `${merchantId}:${beneficiaryId}`;

  const giveUpIn = async (some: readonly LimitedSubject[], asked: PayoutRoom): Promise<void> => {
    for (const subject of some) {
      await usage.change(idOf(subject, asked), (before) => ({
        ...{ usage: giveUp(before, asked.payoutId), answer: undefined },
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
      const reserved: LimitedSubject[] = [];
      for (const subject of own === undefined ? [] : subjects) {
        const rules = own?.[subject] ?? [];
        if (rules.length === 0) continue;
        const answer = await usage.change(idOf(subject, asked), (before, now) =>
          reserve(before, rules, asked, now),
        );
        if (answer !== "reserved") {
          await giveUpIn(reserved, asked);
          return refused("LIMIT_EXCEEDED", exceededSentence(subject, answer));
        }
        reserved.push(subject);
      }
      return { giveUp: () => giveUpIn(reserved, asked) };
    },

    /** Gives back the room of a payout whose money was released; a repeat changes nothing. */
    giveBack: async (payoutId: string, parties: Parties): Promise<void> => {
      // A merchant that never had a limit has reserved nothing.
      if (limits.of(parties.merchantId) === undefined) return;
      for (const subject of subjects) {
        await usage.change(idOf(subject, parties), (before) => ({
          ...{ usage: giveBack(before, payoutId), answer: undefined },
        }));
      }
    },
  };
}

/** Room that an execute has reserved, until it gives up: then a payout of it is not made. */
export type Reserved = { readonly giveUp: () => Promise<void> };
