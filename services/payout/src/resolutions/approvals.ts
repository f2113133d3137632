import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { findPayout } from "../payouts/store.ts";
import { describePayout, type ResolutionDeps } from "./resolve.ts";
import { type ResolutionsRpc, readResolution, resolutionsRpc } from "./rpc.ts";
import { effectOfOutcome, outcomeText } from "./rules/resolution.ts";

/** What the guarded RPCs of exceptions work with. */
export type GuardedResolutionDeps = ResolutionDeps & {
  /** Resolutions wait for a second person in every mode. */
  readonly proposals: Pick<ServiceApprovals, "guard" | "own">;
};

/** The RPCs of exceptions. */
export function guardedResolutions(deps: GuardedResolutionDeps) {
  const { guard, own } = deps.proposals;
  const { current } = own(PayoutOperationsService.method.resolvePayout);
  const openProposals = async () =>
    new Map((await current()).map(({ subject, id }) => [subject, id]));
  return guard(PayoutOperationsService, resolutionsRpc(deps, openProposals), guards(deps));
}

/** What became of a payout in doubt is never one person's word. */
function guards({ payouts }: GuardedResolutionDeps): Guards<Pick<ResolutionsRpc, "resolvePayout">> {
  return {
    resolvePayout: {
      approvers: ["treasury_approver"],
      isSole: true,
      difference: async (request) => {
        const { payoutId, outcome, reason } = orThrow(readResolution(request));
        const payout = await findPayout(payouts, payoutId);
        const resolved = { payoutId, outcome: outcomeText(outcome), reason };
        return {
          before: payout === undefined ? "" : describePayout(payout),
          after: JSON.stringify({ resolved }),
        };
      },
      reasons: async (request) => {
        const { payoutId, outcome } = orThrow(readResolution(request));
        const payout = await findPayout(payouts, payoutId);
        orThrow(effectOfOutcome(orThrow(payout ?? refused("RECORD_NOT_FOUND")), outcome));
        return ["decides what became of a payout in doubt"];
      },
    },
  };
}
