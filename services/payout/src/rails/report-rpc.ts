import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  PayoutService,
  ReportRailOutcomeRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { TransferredAmount } from "../payouts/rules/rail-report.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import { orThrow } from "../refusals.ts";
import { type RailReportDeps, reportOutcome } from "./reports.ts";

/** The rails' RPC of the payout service. */
export function reportRpc(
  deps: RailReportDeps,
): Pick<ServiceImpl<typeof PayoutService>, "reportRailOutcome"> {
  return {
    reportRailOutcome: async (message) => {
      const by = readMutation(message.mutation);
      const status = orThrow(readOutcome(message));
      const word = { status, transferred: transferredBy(message) };
      const { payout } = orThrow(await reportOutcome(deps, message.payoutId, word, by));
      return { payout: payoutMessage(payout) };
    },
  };
}

function transferredBy({
  amount,
  currencyCode,
}: ReportRailOutcomeRequest): TransferredAmount | undefined {
  return amount === "" && currencyCode === "" ? undefined : { amount, currency: currencyCode };
}
