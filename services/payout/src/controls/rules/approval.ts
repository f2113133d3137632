import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Violation } from "@disburse/kernel/refusal.ts";
import type { ApprovalNeed, ApprovalReason } from "../../payouts/rules/approval.ts";

type AmountText = {
  readonly currency: string;
  readonly minimum: string;
  /** With 0, the rule compares each payout's own amount with the minimum. */
  readonly window_seconds: number;
};

/** Approval rules in the form that operators write and the database stores. */
export type ApprovalRulesText = {
  /**
   * The amounts from which payouts need approval, as decimal text. At most one per source currency.
   */
  readonly amounts: readonly AmountText[];
  /** In days. With 0, there is no such rule. */
  readonly new_beneficiary_days: number;
  readonly lasts_seconds: number;
  /** If true, only an actor other than a batch's maker may decide on it. */
  readonly batches?: true;
};

/**
 * An amount from which payouts need approval. It applies to each payout alone, or to the sum over a
 * window.
 */
export type AmountRule = {
  readonly currency: string;
  /** The amount in minor units of `currency`. */
  readonly minimum: bigint;
  /** With 0, the rule compares each payout's own amount with the minimum. */
  readonly windowMs: number;
};

export type ApprovalRules = {
  readonly amounts: readonly AmountRule[];
  readonly newBeneficiaryMs: number;
  readonly lastsMs: number;
  readonly isOfBatches: boolean;
};

const dayMs = 86_400_000;
/** The default lifetime of an approval: long enough for the next working day. */
export const lastsDefaultSeconds = 86_400;
/**
 * A shorter time is too short for a decision. With a longer maximum, the platform would guarantee a
 * rate for over a week.
 */
const lastsMinSeconds = 60;
const lastsMaxSeconds = 7 * 86_400;
const newBeneficiaryMaxDays = 365;
/** Velocity usage is only kept for a day, so a window can't be longer. */
const windowMaxSeconds = 86_400;

export function approvalViolations(rules: ApprovalRulesText): Violation[] {
  const { amounts, new_beneficiary_days, lasts_seconds } = rules;
  const violations = amounts.flatMap((each, at) => amountViolations(rules, each, at));
  const must = (field: string, value: number, min: number, max: number) => {
    if (value >= min && value <= max) return;
    violations.push({ field: `approval.${field}`, problem: `must be ${min} to ${max}` });
  };
  must("new_beneficiary_days", new_beneficiary_days, 0, newBeneficiaryMaxDays);
  must("lasts_seconds", lasts_seconds, lastsMinSeconds, lastsMaxSeconds);
  return violations;
}

function amountViolations(
  { amounts }: ApprovalRulesText,
  { currency, minimum, window_seconds }: AmountText,
  at: number,
): Violation[] {
  const name = `approval.amounts[${at}]`;
  if (findCurrency(currency) === undefined) {
    return [{ field: `${name}.currency_code`, problem: "is not a known currency" }];
  }
  if (amounts.findIndex((each) => each.currency === currency) < at) {
    return [{ field: `${name}.currency_code`, problem: "must not be repeated" }];
  }
  const minor = parseAmount(minimum, currency);
  if (isRefused(minor) || minor === 0n) {
    return [{ field: `${name}.minimum`, problem: `must be an amount above zero in ${currency}` }];
  }
  if (window_seconds >= 0 && window_seconds <= windowMaxSeconds) return [];
  return [{ field: `${name}.window_seconds`, problem: `must be 0 to ${windowMaxSeconds}` }];
}

/** Returns true if any rule can require an approval. */
export function hasRules({ amounts, new_beneficiary_days, batches }: ApprovalRulesText): boolean {
  return amounts.length > 0 || new_beneficiary_days > 0 || batches === true;
}

/** Parses stored rules, which are valid. */
export function readApprovalRules(text: ApprovalRulesText): ApprovalRules {
  return {
    amounts: text.amounts.map(({ currency, minimum: amount, window_seconds }) => {
      const minimum = parseAmount(amount, currency);
      if (isRefused(minimum)) throw new Error("the stored approval rules have an invalid amount");
      return { currency, minimum, windowMs: window_seconds * 1_000 };
    }),
    newBeneficiaryMs: text.new_beneficiary_days * dayMs,
    lastsMs: text.lasts_seconds * 1_000,
    isOfBatches: text.batches === true,
  };
}

export type JudgedPayout = {
  readonly source: string;
  readonly sourceMinor: bigint;
  /** Absent if the beneficiary no longer exists. The beneficiary then counts as new. */
  readonly beneficiaryCreatedAt: Date | undefined;
  /** True if this payout and the others in a rule's window reach the rule's minimum. */
  readonly isOverWindow: boolean;
};

/** Returns the approval that a payout needs, or `undefined` if it needs none. */
export function approvalNeed(
  { amounts, newBeneficiaryMs, lastsMs }: ApprovalRules,
  { source, sourceMinor, beneficiaryCreatedAt, isOverWindow }: JudgedPayout,
  now: Date,
): ApprovalNeed | undefined {
  const isLarge = amounts.some(
    ({ currency, minimum }) => currency === source && sourceMinor >= minimum,
  );
  const knownSince = beneficiaryCreatedAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const isNew = newBeneficiaryMs > 0 && now.getTime() - knownSince < newBeneficiaryMs;
  const reasons: ApprovalReason[] = [
    ...(isLarge || isOverWindow ? (["amount"] as const) : []),
    ...(isNew ? (["new_beneficiary"] as const) : []),
  ];
  return reasons.length === 0 ? undefined : { reasons, lastsMs };
}
