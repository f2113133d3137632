import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type VelocityLimits as LimitsMessage,
  MerchantVelocitySchema,
  PayoutOperatorService,
  type SetVelocityLimitsRequest,
  VelocityLimitsSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { invalidRequest, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { changeRules } from "../merchant-rules/change.ts";
import type { RulesDocument } from "../merchant-rules/merchant-rules.ts";
import type { AuditStore } from "../payouts/operators.ts";
import type { VelocityLimits } from "./limits.ts";
import {
  type LimitsText,
  limitViolations,
  type MerchantLimitsText,
  readLimits,
  unlimited,
} from "./rules/limits.ts";
import { isLooser } from "./rules/window.ts";

export type VelocityDeps = {
  readonly velocity: VelocityLimits;
  readonly audit: AuditStore;
  readonly clock: Clock;
};

export function velocityRpc({ velocity, audit, clock }: VelocityDeps) {
  return {
    setVelocityLimits: async ({ mutation, merchantId, merchant, beneficiary }) => {
      const by = readOperator(mutation);
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      const limits = limitsOf({ merchant, beneficiary });
      const set = Object.entries(limits);
      if (set.length === 0)
        orThrow(
          refused("INVALID_REQUEST", "merchant or beneficiary: at least one of them is required"),
        );
      const violations = set.flatMap(([name, text]) => limitViolations(name, text));
      if (violations.length > 0) orThrow(invalidRequest(violations));
      const detail = JSON.stringify(limits);
      const stored = await changeRules(
        { audit, rules: velocity, describe: limitsJson },
        { action: "velocity.set", subject: merchantId, detail, at: clock.now(), ...by },
      );
      return { limits: velocityMessage(merchantId, stored) };
    },

    getVelocityLimits: async ({ merchantId }) => ({
      limits: velocityMessage(merchantId, await velocity.read(merchantId)),
    }),
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

/** Converts the request. A limit missing from the request is absent from the result. */
export function limitsOf({
  merchant,
  beneficiary,
}: Pick<SetVelocityLimitsRequest, "merchant" | "beneficiary">): Partial<MerchantLimitsText> {
  return {
    ...(merchant && { merchant: limitsText(merchant) }),
    ...(beneficiary && { beneficiary: limitsText(beneficiary) }),
  };
}

function limitsText(message: LimitsMessage): LimitsText {
  const { countHour, countDay, amounts } = message;
  return {
    ...(countHour !== undefined && { count_hour: countHour }),
    ...(countDay !== undefined && { count_day: countDay }),
    amounts: amounts.map(({ currencyCode: currency, hour, day }) => ({ currency, hour, day })),
  };
}

type StoredLimits = RulesDocument<MerchantLimitsText> | null;

function velocityMessage(merchantId: string, stored: StoredLimits) {
  return create(MerchantVelocitySchema, {
    merchantId,
    merchant: limitsMessage(stored?.merchant),
    beneficiary: limitsMessage(stored?.beneficiary),
    ...(stored && { updatedAt: timestampFromDate(stored.updated_at) }),
  });
}

function limitsMessage(limits: LimitsText | undefined): LimitsMessage {
  const { count_hour: countHour, count_day: countDay, amounts = [] } = limits ?? {};
  return create(VelocityLimitsSchema, {
    ...(countHour !== undefined && { countHour }),
    ...(countDay !== undefined && { countDay }),
    amounts: amounts.map(({ currency: currencyCode, hour, day }) => ({ currencyCode, hour, day })),
  });
}

type VelocityRpc = ReturnType<typeof velocityRpc>;

export function guardedVelocity(deps: VelocityDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = velocityRpc(deps);
  return approvals?.guard(PayoutOperatorService, rpc, velocityGuards(deps)) ?? rpc;
}

/** Limits in force as JSON, from which the guard reads them. */
function limitsJson(stored: StoredLimits): string {
  const { merchant = unlimited, beneficiary = unlimited } = stored ?? {};
  const limits: MerchantLimitsText = { merchant, beneficiary };
  return JSON.stringify(limits);
}

/** One operator may tighten limits alone. Loosening them needs a second operator. */
function velocityGuards({
  velocity,
}: VelocityDeps): Guards<Pick<VelocityRpc, "setVelocityLimits">> {
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
        return {
          before: limitsJson(await velocity.read(request.merchantId)),
          after: JSON.stringify(limitsOf(request)),
        };
      },
      reasons: async (request, _requester, { before }) => {
        const inForce = JSON.parse(before) as MerchantLimitsText;
        const reasons: string[] = [];
        for (const [subject, wanted] of subjectsOf(request)) {
          // A malformed request needs no approval, because the RPC refuses it.
          if (wanted === undefined || limitViolations(subject, wanted).length > 0) continue;
          if (isLooser(readLimits(inForce[subject]), readLimits(wanted)))
            reasons.push(`the request raises or removes a limit of the ${subject}`);
        }
        return reasons;
      },
    },
  };
}
