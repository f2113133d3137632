import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { StoredCall } from "../payouts/document.ts";
import { raiseException } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { applyRailReport, type RailReport } from "../payouts/rules/rail-report.ts";
import { causeOf } from "../payouts/rules/timeline.ts";
import type { PayoutStore } from "../payouts/store.ts";
import type { Reporter } from "../payouts/work.ts";
import { describeResponse } from "./calls.ts";

export type RailReportDeps = {
  readonly payouts: PayoutStore;
  readonly clock: Clock;
  /** Called when there is a payout to move on. */
  readonly wake: () => void;
};

/** What became of a rail's word; `applied` unless it was known already. */
export type Reported = { readonly payout: Payout; readonly applied: boolean };

/**
 * Takes a rail's word on a payout, by callback: believed once, a repeat changes nothing. One that
 * contradicts what is known is refused and puts the payout before the operators. Each is in the
 * payout's journal, with what became of it.
 */
export async function reportOutcome(
  { payouts, clock, wake }: RailReportDeps,
  payoutId: string,
  word: RailReport,
  by: Reporter,
): Promise<Reported | Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST">> {
  for (;;) {
    const payout = await payouts.findPayout(payoutId);
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    const at = clock.now();
    const next = applyRailReport(payout, word);
    if (isRefused(next)) {
      const call = callback(word, at, by, `refused: ${next.detail}`);
      const doubt = raiseException(payout.doubt, "contradicted", at);
      if (await payouts.note(payout, { call, doubt })) return next;
    } else if (next === "unchanged") {
      await payouts.note(payout, { call: callback(word, at, by, "known already") });
      return { payout, applied: false };
    } else {
      const step = { cause: causeOf(word.status), detail: `rail reported ${word.status.kind}` };
      const calls = [callback(word, at, by, "believed")];
      const advanced = await payouts.advance(payout, next, { ...step, at, work: at, by, calls });
      if (advanced !== undefined) {
        wake();
        return { payout: advanced, applied: true };
      }
    }
  }
}

function callback(word: RailReport, at: Date, by: Reporter, became: string): StoredCall {
  const said = `${describeResponse(word)}; ${became}`;
  return { kind: "callback", at, said, actor: by.actor, operation_id: by.operationId };
}
