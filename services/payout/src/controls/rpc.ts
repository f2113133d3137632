import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { readMutation, readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApprovalRulesSchema,
  PayoutControlsSchema,
  type ApprovalRules as RulesMessage,
  type SetPayoutControlsRequest,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  type PayoutSandboxService,
  type SetOwnPayoutControlsRequest,
  SetOwnPayoutControlsRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { setPayoutControls } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { invalidRequest, refused, type Violation } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { changeRules } from "../merchant-rules/change.ts";
import type { RulesDocument } from "../merchant-rules/merchant-rules.ts";
import type { AuditStore } from "../payouts/operators.ts";
import { type ApprovalRulesText, hasRules, lastsDefaultSeconds } from "./rules/approval.ts";
import { type ControlsText, controlViolations } from "./rules/controls.ts";
import { loosened } from "./rules/loosening.ts";
import type { PayoutControls } from "./store.ts";

export type ControlsDeps = {
  readonly controls: PayoutControls;
  readonly audit: AuditStore;
  readonly clock: Clock;
};

export function controlsRpc(deps: ControlsDeps) {
  const { controls } = deps;
  return {
    setPayoutControls: async (message) => {
      const by = readOperator(message.mutation);
      const { merchantId } = message;
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      const text = controlsText(message);
      if (Object.keys(text).length === 0) {
        const problem = "duplicate_window_seconds: is required, or approval";
        orThrow(refused("INVALID_REQUEST", problem));
      }
      const violations = controlViolations(text);
      if (violations.length > 0) orThrow(invalidRequest(violations));
      const stored = await setControls(deps, { merchantId, text, describe: controlsJson }, by);
      return { controls: controlsMessage(merchantId, stored) };
    },

    getPayoutControls: async ({ merchantId }) => ({
      controls: controlsMessage(merchantId, await controls.read(merchantId)),
    }),
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

type ControlsChange = {
  readonly merchantId: string;
  readonly text: ControlsText;
  /** Describes the controls in force as the guard does. */
  readonly describe: (stored: StoredControls) => string;
};

type StoredControls = RulesDocument<ControlsText> | null;

/**
 * Sets valid controls once per operation. Refuses an operation id that was used for a different
 * request. Controls missing from the request stay unchanged.
 */
export function setControls(
  { controls: rules, audit, clock }: ControlsDeps,
  { merchantId: subject, text, describe }: ControlsChange,
  by: { readonly person: string; readonly operation: string },
) {
  const set = { action: "controls.set", subject, detail: JSON.stringify(text) } as const;
  return changeRules({ audit, rules, describe }, { ...set, ...by, at: clock.now() });
}

/** Converts the request. A control missing from the request is absent from the result. */
export function controlsText(message: SetPayoutControlsRequest): ControlsText {
  const { duplicateWindowSeconds: window, approval } = message;
  return {
    ...(window !== undefined && { duplicate_window_seconds: window }),
    ...(approval && { approval: rulesText(approval) }),
  };
}

export function rulesText(message: RulesMessage): ApprovalRulesText {
  const { amounts, newBeneficiaryDays, lastsSeconds, batches } = message;
  return {
    amounts: amounts.map(({ currencyCode: currency, minimum, windowSeconds }) => {
      return { currency, minimum, window_seconds: windowSeconds };
    }),
    new_beneficiary_days: newBeneficiaryDays,
    lasts_seconds: lastsSeconds ?? lastsDefaultSeconds,
    ...(batches && { batches }),
  };
}

function controlsMessage(merchantId: string, stored: StoredControls) {
  const approval = stored?.approval && hasRules(stored.approval) ? stored.approval : undefined;
  return create(PayoutControlsSchema, {
    merchantId,
    duplicateWindowSeconds: stored?.duplicate_window_seconds ?? 0,
    ...(approval && { approval: approvalMessage(approval) }),
    ...(stored && { updatedAt: timestampFromDate(stored.updated_at) }),
  });
}

export function approvalMessage(approval: ApprovalRulesText) {
  return create(ApprovalRulesSchema, {
    amounts: approval.amounts.map(({ currency: currencyCode, minimum, window_seconds }) => {
      return { currencyCode, minimum, windowSeconds: window_seconds };
    }),
    newBeneficiaryDays: approval.new_beneficiary_days,
    lastsSeconds: approval.lasts_seconds,
    batches: approval.batches ?? false,
  });
}

type ControlsRpc = ReturnType<typeof controlsRpc>;

export function guardedControls(deps: ControlsDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = controlsRpc(deps);
  return approvals?.guard(PayoutOperatorService, rpc, controlsGuards(deps)) ?? rpc;
}

/** Controls in force as JSON, from which the guard reads them. */
function controlsJson(stored: StoredControls): string {
  const { duplicate_window_seconds = 0, approval } = stored ?? {};
  const text: ControlsText = { duplicate_window_seconds, ...(approval && { approval }) };
  return JSON.stringify(text);
}

/** One operator may tighten controls alone. Loosening them needs a second operator. */
function controlsGuards({
  controls,
}: ControlsDeps): Guards<Pick<ControlsRpc, "setPayoutControls">> {
  return {
    setPayoutControls: {
      approvers: ["treasury_approver"],
      difference: async (request) => ({
        before: controlsJson(await controls.read(request.merchantId)),
        after: JSON.stringify(controlsText(request)),
      }),
      reasons: async (request, _requester, { before }) => {
        const wanted = controlsText(request);
        // A malformed request needs no approval, because the RPC refuses it.
        if (controlViolations(wanted).length > 0) return [];
        return loosened(JSON.parse(before) as ControlsText, wanted);
      },
    },
  };
}

/** Lets a merchant of a sandbox set its own controls. */
export function ownControlsRpc(deps: ControlsDeps) {
  return {
    setOwnPayoutControls: async (message) => {
      const { actor, operationId: operation } = readMutation(message.mutation);
      const context = { now: deps.clock.now(), unreadable: message.unreadable };
      const schema = SetOwnPayoutControlsRequestSchema;
      const sent = orThrow(checkedMessage(setPayoutControls, schema, message, context));
      const text = ownControlsText(sent);
      // The form has checked the rest. A test needs approvals that end sooner than a person's.
      const isOfAmounts = ({ field }: Violation) => field.startsWith("approval.amounts");
      if (controlViolations(text).some(isOfAmounts)) {
        const problem = "must map currencies to amounts above zero";
        orThrow(invalidRequest([{ field: "approval_amounts", problem }]));
      }
      const { merchantId } = sent;
      const change = { merchantId, text, describe: controlsJson };
      await setControls(deps, change, { person: actor.id, operation });
      return {
        approvalAmounts: sent.approvalAmounts,
        approvalWindowSeconds: sent.approvalWindowSeconds ?? 0,
        newBeneficiaryDays: sent.newBeneficiaryDays ?? 0,
        approveBatches: sent.approveBatches ?? false,
        approvalLastsSeconds: sent.approvalLastsSeconds ?? lastsDefaultSeconds,
        duplicateWindowSeconds: sent.duplicateWindowSeconds ?? 0,
      };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutSandboxService>>;
}

function ownControlsText(sent: SetOwnPayoutControlsRequest): ControlsText {
  const { approvalAmounts, newBeneficiaryDays = 0, approveBatches = false } = sent;
  const { approvalWindowSeconds = 0 } = sent;
  const { approvalLastsSeconds, duplicateWindowSeconds: window = 0 } = sent;
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
