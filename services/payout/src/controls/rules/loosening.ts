import {
  type AmountRule,
  type ApprovalRulesText,
  hasRules,
  readApprovalRules,
} from "./approval.ts";
import type { ControlsText } from "./controls.ts";

/**
 * Returns what a change would loosen, in words. A control missing from `wanted` stays unchanged. A
 * change loosens if any payout or batch could pass without the approval that it needs now, or if an
 * approval could wait longer: its rate would be guaranteed for longer.
 */
export function loosened(inForce: ControlsText, wanted: ControlsText): string[] {
  const { duplicate_window_seconds: window, approval } = wanted;
  const { duplicate_window_seconds: now = 0, approval: rules } = inForce;
  return [
    ...(window !== undefined && window < now
      ? [`duplicates are found within ${window} seconds, not ${now}`]
      : []),
    ...(approval === undefined || rules === undefined ? [] : loosenedRules(rules, approval)),
  ];
}

/** Every rule in force must have one in the new rules that applies at least as often. */
function loosenedRules(inForce: ApprovalRulesText, wanted: ApprovalRulesText): string[] {
  const [now, then] = [readApprovalRules(inForce), readApprovalRules(wanted)];
  const [nowDays, days] = [inForce.new_beneficiary_days, wanted.new_beneficiary_days];
  const [nowSeconds, seconds] = [inForce.lasts_seconds, wanted.lasts_seconds];
  const texts = new Map(wanted.amounts.map(({ currency, minimum }) => [currency, minimum]));
  return [
    ...inForce.amounts.flatMap(({ currency, minimum }, at) =>
      loosenedAmount(now.amounts[at], then.amounts, { was: minimum, is: texts.get(currency) }),
    ),
    ...(days < nowDays ? [`a beneficiary is new for ${days} days, not ${nowDays}`] : []),
    ...(now.isOfBatches && !then.isOfBatches ? ["batches need no approval by another actor"] : []),
    // Without rules no payout waits, so there is nothing that could wait longer.
    ...(seconds > nowSeconds && hasRules(inForce)
      ? [`an approval lasts ${seconds} seconds, not ${nowSeconds}`]
      : []),
  ];
}

function loosenedAmount(
  rule: AmountRule | undefined,
  wanted: readonly AmountRule[],
  texts: { readonly was: string; readonly is: string | undefined },
): string[] {
  if (rule === undefined) return [];
  const { currency, minimum, windowMs } = rule;
  const then = wanted.find((each) => each.currency === currency);
  if (then === undefined) return [`no amount in ${currency} needs approval, now from ${texts.was}`];
  return [
    ...(then.minimum > minimum
      ? [`amounts in ${currency} need approval from ${texts.is}, not ${texts.was}`]
      : []),
    ...(then.windowMs < windowMs
      ? [`amounts in ${currency} add up over ${secondsText(then)}, not ${secondsText(rule)}`]
      : []),
  ];
}

const secondsText = ({ windowMs }: AmountRule) => `${windowMs / 1_000} seconds`;
