import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type PayoutSandboxService,
  type SetOwnPayoutControlsRequest,
  SetOwnPayoutControlsRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { setPayoutControls } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { invalidRequest } from "@disburse/kernel/refusal.ts";
import { type ControlsDeps, setControls } from "./rpc.ts";
import { lastsDefaultSeconds } from "./rules/approval.ts";
import { type ControlsText, controlViolations } from "./rules/controls.ts";

/** The RPC by which a merchant of a sandbox sets its own controls. */
export function ownControlsRpc(deps: ControlsDeps) {
  return {
    setOwnPayoutControls: async (message) => {
      const { actor, operationId: operation } = readMutation(message.mutation);
      const context = { now: deps.clock.now(), unreadable: message.unreadable };
      const schema = SetOwnPayoutControlsRequestSchema;
      const asked = orThrow(checkedMessage(setPayoutControls, schema, message, context));
      const text = controlsText(asked);
      if (controlViolations(text).length > 0) {
        const problem = "must be amounts above zero, each under its currency";
        orThrow(invalidRequest([{ field: "approval_amounts", problem }]));
      }
      await setControls(deps, asked.merchantId, text, { person: actor.id, operation });
      return {
        approvalAmounts: asked.approvalAmounts,
        approvalWindowSeconds: asked.approvalWindowSeconds ?? 0,
        newBeneficiaryDays: asked.newBeneficiaryDays ?? 0,
        approveBatches: asked.approveBatches ?? false,
        approvalLastsSeconds: asked.approvalLastsSeconds ?? lastsDefaultSeconds,
        duplicateWindowSeconds: asked.duplicateWindowSeconds ?? 0,
      };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutSandboxService>>;
}

function controlsText(asked: SetOwnPayoutControlsRequest): ControlsText {
  const { approvalAmounts, newBeneficiaryDays = 0, approveBatches = false } = asked;
  const { approvalWindowSeconds = 0 } = asked;
  const { approvalLastsSeconds, duplicateWindowSeconds: window = 0 } = asked;
  const amounts = Object.entries(approvalAmounts).map(([currency, minimum]) => {
    return { currency, minimum, window_seconds: approvalWindowSeconds };
  });
  return {
    duplicate_window_seconds: window,
    approval: {
      amounts,
      new_beneficiary_days: newBeneficiaryDays,
      lasts_seconds: approvalLastsSeconds ?? lastsDefaultSeconds,
      ...(approveBatches && { batches: approveBatches }),
    },
  };
}
