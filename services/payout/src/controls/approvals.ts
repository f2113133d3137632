import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { type ControlsDeps, controlsRpc, controlsText } from "./rpc.ts";
import { type ControlsText, controlViolations } from "./rules/controls.ts";
import { loosened } from "./rules/looser.ts";

type ControlsRpc = ReturnType<typeof controlsRpc>;

/** The RPCs of controls, guarded where there are persons. */
export function guardedControls(deps: ControlsDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = controlsRpc(deps);
  return approvals?.guard(PayoutOperationsService, rpc, controlsGuards(deps)) ?? rpc;
}

/** One person may tighten a merchant's controls; whatever loosens one needs a second one. */
function controlsGuards({
  controls,
}: ControlsDeps): Guards<Pick<ControlsRpc, "setPayoutControls">> {
  const inForce = async (merchantId: string): Promise<ControlsText> => {
    const { duplicate_window_seconds = 0, approval } = (await controls.read(merchantId)) ?? {};
    return { duplicate_window_seconds, ...(approval && { approval }) };
  };
  return {
    setPayoutControls: {
      approvers: ["treasury_approver"],
      difference: async (request) => ({
        before: JSON.stringify(await inForce(request.merchantId)),
        after: JSON.stringify(controlsText(request)),
      }),
      reasons: async (request) => {
        const wanted = controlsText(request);
        // The RPC itself refuses a malformed request.
        if (controlViolations(wanted).length > 0) return [];
        return loosened(await inForce(request.merchantId), wanted);
      },
    },
  };
}
