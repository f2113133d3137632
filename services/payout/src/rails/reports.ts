import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RailReport } from "@disburse/rail/report.ts";
import type { Payouts, StoredCall } from "../payouts/document.ts";
import { raiseException } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { applyRailReport } from "../payouts/rules/rail-report.ts";
import { causeOf } from "../payouts/rules/timeline.ts";
import { findPayout } from "../payouts/store.ts";
import { advance, annotate } from "../payouts/work.ts";
import { describeResponse } from "./steps.ts";

export type RailReportDeps = {
  readonly payouts: Payouts;
  readonly clock: Clock;
  /** Wakes the worker, because a payout is due. */
  readonly wake: () => void;
};

/** The result of a report. `applied` is false if the report changed nothing. */
export type Reported = { readonly payout: Payout; readonly applied: boolean };

/**
 * The reporter of an outcome. It is a rail that sent a callback or, in the sandbox, a caller of the
 * RPC.
 */
export type Reporter = Change & {
  /** The rail that signed the report. It can only report payouts that were sent to it. */
  readonly rail?: string;
};

/** The refusal of a report by a rail that the payout was not sent to. That rail has no such key. */
export const notOfRail: Refused<"RECORD_NOT_FOUND"> = refused("RECORD_NOT_FOUND");

/** Applies a callback's report once. A contradiction is refused and raises an exception. */
export async function reportOutcome(
  { payouts, clock, wake }: RailReportDeps,
  payoutId: string,
  report: RailReport,
  by: Reporter,
): Promise<Reported | Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST">> {
  for (;;) {
    const payout = await findPayout(payouts, payoutId);
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    // The rail of a payout is stored before the rail is called, and never changes.
    if (by.rail !== undefined && by.rail !== payout.rail) return notOfRail;
    const at = clock.now();
    const next = applyRailReport(payout, report);
    if (isRefused(next)) {
      const call = callback(report, at, by, `refused: ${next.detail}`);
      const exception = raiseException(payout.exception, "contradicted", at);
      if (await annotate(payouts, payout, { call, exception })) return next;
    } else if (next === "unchanged") {
      await annotate(payouts, payout, { call: callback(report, at, by, "already known") });
      return { payout, applied: false };
    } else {
      const step = { cause: causeOf(report.status), detail: `rail reported ${report.status.kind}` };
      const calls = [callback(report, at, by, "believed")];
      const advanced = await advance(payouts, payout, next, { ...step, at, work: at, by, calls });
      if (advanced !== undefined) {
        wake();
        return { payout: advanced.payout, applied: true };
      }
    }
  }
}

function callback(report: RailReport, at: Date, by: Change, became: string): StoredCall {
  const said = `${describeResponse(report)}; ${became}`;
  return { kind: "callback", at, said, actor: by.actor, operation_id: by.operationId };
}
