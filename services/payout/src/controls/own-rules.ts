import { fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
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
import { approvalMessage, type ControlsDeps, rulesText, setControls } from "./rpc.ts";
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
      return { rules: approvalMessage(stored?.approval ?? noRules), updatedAt: timeOf(stored) };
    },

    setApprovalRules: async (message) => {
      const { actor, operationId: operation } = readMutation(message.mutation);
      const approval = orThrow(readRules(deps, message));
      const by = { person: actor.id, operation };
      const { merchantId } = message;
      const change = { merchantId, text: { approval }, describe: storedJson };
      const stored = await setControls(deps, change, by);
      return { rules: approvalMessage(stored.approval ?? noRules), updatedAt: timeOf(stored) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

type OwnRulesRpc = ReturnType<typeof ownRulesRpc>;

function ownRulesGuards(deps: ControlsDeps): Guards<Pick<OwnRulesRpc, "setApprovalRules">> {
  return {
    setApprovalRules: {
      approvers: ({ operatorDecides }) => (operatorDecides ? ["treasury_approver"] : []),
      isForMerchants: true,
      difference: async (request) => {
        const wanted = readRules(deps, request);
        return {
          before: storedJson(await deps.controls.read(request.merchantId)),
          after: rulesJson(isRefused(wanted) ? undefined : wanted),
        };
      },
      reasons: async (request, _requester, { before }) => {
        const wanted = readRules(deps, request);
        // A malformed request needs no approval, because the RPC refuses it.
        if (isRefused(wanted)) return [];
        const approval = rulesText(fromJsonString(ApprovalRulesSchema, before));
        return loosened({ approval }, { approval: wanted });
      },
    },
  };
}

const storedJson = (stored: { readonly approval?: ApprovalRulesText } | null) =>
  rulesJson(stored?.approval);

/** Rules as the JSON of the contract's message. The gateway reads them from a proposal. */
function rulesJson(approval: ApprovalRulesText | undefined): string {
  return toJsonString(ApprovalRulesSchema, approvalMessage(approval ?? noRules), {
    useProtoFieldName: true,
  });
}

const noRules: ApprovalRulesText = {
  amounts: [],
  new_beneficiary_days: 0,
  lasts_seconds: lastsDefaultSeconds,
};

const timeOf = (stored: { readonly updated_at: Date } | null) =>
  stored === null ? undefined : timestampFromDate(stored.updated_at);

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
