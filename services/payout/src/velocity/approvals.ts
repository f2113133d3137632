import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import {
  PayoutOperationsService,
  type SetVelocityLimitsRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { limitsOf, type VelocityDeps, velocityRpc } from "./rpc.ts";
import { type LimitedSubject, limitViolations, readLimits, unlimited } from "./rules/limits.ts";
import { isLooser } from "./rules/looser.ts";

type VelocityRpc = ReturnType<typeof velocityRpc>;

/** The RPCs of velocity limits, guarded where there are persons. */
export function guardedVelocity(deps: VelocityDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = velocityRpc(deps);
  return approvals?.guard(PayoutOperationsService, rpc, velocityGuards(deps)) ?? rpc;
}

/** One person may limit a merchant further; whatever lets more through needs a second one. */
function velocityGuards({
  velocity,
}: VelocityDeps): Guards<Pick<VelocityRpc, "setVelocityLimits">> {
  const inForce = async (merchantId: string, subject: LimitedSubject) =>
    (await velocity.read(merchantId))?.[subject] ?? unlimited;
  const subjectsOf = (request: SetVelocityLimitsRequest) => {
    const { merchant, beneficiary } = limitsOf(request);
    return [
      ["merchant", merchant],
      ["beneficiary", beneficiary],
    ] as const;
  };
  return {
    setVelocityLimits: {
      approvers: ["treasury_approver"],
      difference: async (request) => {
        const { merchantId } = request;
        const [merchant, beneficiary] = await Promise.all([
          inForce(merchantId, "merchant"),
          inForce(merchantId, "beneficiary"),
        ]);
        return {
          before: JSON.stringify({ merchant, beneficiary }),
          after: JSON.stringify(limitsOf(request)),
        };
      },
      reasons: async (request) => {
        const reasons: string[] = [];
        for (const [subject, wanted] of subjectsOf(request)) {
          // The RPC itself refuses a malformed request.
          if (wanted === undefined || limitViolations(subject, wanted).length > 0) continue;
          const now = readLimits(await inForce(request.merchantId, subject));
          if (isLooser(now, readLimits(wanted)))
            reasons.push(`raises or removes a limit of the ${subject}`);
        }
        return reasons;
      },
    },
  };
}
