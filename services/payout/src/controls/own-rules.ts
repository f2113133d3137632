import { toJsonString } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApprovalRulesSchema,
  type SetApprovalRulesRequest,
  SetApprovalRulesRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { setApprovalRules } from "@disburse/forms/bodies/approval-rules.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { invalidRequest, isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import { type ControlsDeps, controlsMessage, inForce, setControls } from "./rpc.ts";
import { type ApprovalRulesText, lastsDefaultSeconds } from "./rules/approval.ts";
import { controlViolations } from "./rules/controls.ts";
import { loosened } from "./rules/loosening.ts";

type OwnRulesDeps = ControlsDeps & { readonly proposals: Pick<ServiceApprovals, "guard"> };

/**
 * Lets a merchant set its own approval rules. One actor may tighten them; loosening them needs
 * another one.
 */
export function guardedOwnRules(deps: OwnRulesDeps) {
  return deps.proposals.guard(PayoutService, ownRulesRpc(deps), ownRulesGuards(deps));
}

function ownRulesRpc(deps: ControlsDeps) {
  return {
    getApprovalRules: async ({ merchantId }) => {
      const stored = await deps.controls.read(merchantId);
      const { approval: rules, updatedAt } = controlsMessage(merchantId, stored);
      return { rules: rules ?? {}, updatedAt };
    },

    setApprovalRules: async (message) => {
      const { actor, operationId: operation } = readMutation(message.mutation);
      const approval = orThrow(readRules(deps, message));
      const by = { person: actor.id, operation };
      const stored = await setControls(deps, message.merchantId, { approval }, by);
      const { approval: rules, updatedAt } = controlsMessage(message.merchantId, stored);
      return { rules: rules ?? {}, updatedAt };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

type OwnRulesRpc = ReturnType<typeof ownRulesRpc>;

function ownRulesGuards(deps: ControlsDeps): Guards<Pick<OwnRulesRpc, "setApprovalRules">> {
  const rulesInForce = async (merchantId: string) =>
    (await inForce(deps.controls, merchantId)).approval;
  return {
    setApprovalRules: {
      approvers: ({ operatorDecides }) => (operatorDecides ? ["treasury_approver"] : []),
      isForMerchants: true,
      difference: async (request) => {
        const wanted = readRules(deps, request);
        return {
          before: rulesJson(request.merchantId, await rulesInForce(request.merchantId)),
          after: rulesJson(request.merchantId, isRefused(wanted) ? undefined : wanted),
        };
      },
      reasons: async (request) => {
        const wanted = readRules(deps, request);
        // A malformed request needs no approval, because the RPC refuses it.
        if (isRefused(wanted)) return [];
        const approval = await rulesInForce(request.merchantId);
        return loosened(approval === undefined ? {} : { approval }, { approval: wanted });
      },
    },
  };
}

/** Rules as the JSON of the contract's message. The gateway reads them from a proposal. */
function rulesJson(merchantId: string, approval: ApprovalRulesText | undefined): string {
  const stored = approval && { approval };
  const { approval: rules } = controlsMessage(merchantId, stored ?? null);
  return rules === undefined
    ? "{}"
    : toJsonString(ApprovalRulesSchema, rules, { useProtoFieldName: true });
}

function readRules(
  { clock }: ControlsDeps,
  message: SetApprovalRulesRequest,
): ApprovalRulesText | Refused<"INVALID_REQUEST"> {
  const context = { now: clock.now(), unreadable: message.unreadable };
  const sent = checkedMessage(setApprovalRules, SetApprovalRulesRequestSchema, message, context);
  if (isRefused(sent)) return sent;
  const approval = {
    amounts: sent.amounts.map(({ currencyCode: currency, minimum, windowSeconds }) => {
      return { currency, minimum, window_seconds: windowSeconds };
    }),
    new_beneficiary_days: sent.newBeneficiaryDays,
    lasts_seconds: sent.approvalLastsSeconds ?? lastsDefaultSeconds,
    ...(sent.approveBatches && { batches: true as const }),
  };
  const violations = controlViolations({ approval });
  if (violations.length === 0) return approval;
  const own = ({ field }: { field: string }) => field.replace(/^approval\./, "");
  return invalidRequest(violations.map((each) => ({ ...each, field: own(each) })));
}
