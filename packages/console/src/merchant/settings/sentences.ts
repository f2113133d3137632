import type { ApprovalRuleSet } from "@disburse/sdk/gen/types.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { moneyText } from "../../ui/rules/amounts.ts";
import { spanText } from "../../ui/rules/times.ts";

const words = settingsTexts.rules;

/** Approval rules in words, one sentence each. */
export function sentencesOf(rules: ApprovalRuleSet): readonly string[] {
  const { amounts, new_beneficiary_days: days, approve_batches: isOfBatches } = rules;
  const each = [
    ...amounts.map(({ minimum, currency_code: currency, window_seconds: seconds }) => {
      const amount = moneyText(String(minimum), currency);
      return seconds === 0
        ? words.amount({ amount })
        : words.together({ amount, span: spanText(seconds) });
    }),
    ...(days > 0 ? [words.days({ days })] : []),
    ...(isOfBatches ? [words.batches] : []),
  ];
  if (each.length === 0) return [words.none];
  return [...each, words.lasts({ span: spanText(rules.approval_lasts_seconds) })];
}

/** The sentences that are in one set of rules alone. */
export function changesOf(before: ApprovalRuleSet, after: ApprovalRuleSet) {
  const [old, fresh] = [sentencesOf(before), sentencesOf(after)];
  return {
    gone: old.filter((sentence) => !fresh.includes(sentence)),
    added: fresh.filter((sentence) => !old.includes(sentence)),
  };
}
