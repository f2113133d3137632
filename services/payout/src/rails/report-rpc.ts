import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  PayoutService,
  ReportRailOutcomeRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Moved } from "../payouts/rules/rail-report.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import { accepted } from "../refusals.ts";
import { type RailReportDeps, reportOutcome } from "./reports.ts";

/** The rails' RPC of the payout service. */
export function reportRpc(
  deps: RailReportDeps,
): Pick<ServiceImpl<typeof PayoutService>, "reportRailOutcome"> {
  return {
    reportRailOutcome: async (message) => {
      const by = readMutation(message.mutation);
      const answer = accepted(readOutcome(message));
      const word = { answer, moved: movedBy(message) };
      const { payout } = accepted(await reportOutcome(deps, message.payoutId, word, by));
      return { payout: payoutMessage(payout) };
    },
  };
}

function movedBy({ amount, currencyCode }: ReportRailOutcomeRequest): Moved | undefined {
  return amount === "" && currencyCode === "" ? undefined : { amount, currency: currencyCode };
}
