import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type PayoutService,
  RailOutcome,
  type ReportRailOutcomeRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Outcome } from "./domain/progress.ts";
import type { Moved } from "./domain/rail-word.ts";
import { type RailReportDeps, reportOutcome } from "./rail-report.ts";
import { accepted } from "./refusals.ts";
import { payoutMessage } from "./wire.ts";

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

/** A hash or bank reference: printable, of bounded length. */
const transactionReference = /^[\x21-\x7e]{1,128}$/;

/** The outcome that a message tells, its reference checked. */
export function readOutcome(
  message: Pick<ReportRailOutcomeRequest, "outcome" | "transactionReference">,
): Outcome | Refused<"INVALID_REQUEST"> {
  const reference = message.transactionReference;
  switch (message.outcome) {
    case RailOutcome.SETTLED:
      return transactionReference.test(reference)
        ? { kind: "settled", reference }
        : refused(
            "INVALID_REQUEST",
            "transaction_reference: must be 1 to 128 printable characters",
          );
    case RailOutcome.REJECTED:
      return { kind: "rejected" };
    case RailOutcome.RETURNED:
      return transactionReference.test(reference)
        ? { kind: "returned", reference }
        : { kind: "returned" };
    default:
      return refused("INVALID_REQUEST", "outcome: is required");
  }
}

function movedBy({ amount, currencyCode }: ReportRailOutcomeRequest): Moved | undefined {
  return amount === "" && currencyCode === "" ? undefined : { amount, currency: currencyCode };
}
