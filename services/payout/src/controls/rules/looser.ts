import { type ApprovalRulesText, hasRules, readApprovalRules } from "./approval.ts";
import type { ControlsText } from "./controls.ts";

/** What of the controls in force the wanted ones loosen; a part that they leave out stays. */
export function loosened(inForce: ControlsText, wanted: ControlsText): string[] {
  const { duplicate_window_seconds: window, approval } = wanted;
  const isShorter = window !== undefined && window < (inForce.duplicate_window_seconds ?? 0);
  const rules = inForce.approval;
  const isLooser = approval !== undefined && rules !== undefined && areLooser(rules, approval);
  return [
    ...(isShorter ? ["shortens the window of the duplicate guard"] : []),
    ...(isLooser ? ["weakens an approval rule"] : []),
  ];
}

/** Whether rules let a payout pass, or wait for longer, where those in force do not. */
function areLooser(inForce: ApprovalRulesText, wanted: ApprovalRulesText): boolean {
  if (!hasRules(inForce)) return false;
  const [now, then] = [readApprovalRules(inForce), readApprovalRules(wanted)];
  const isAmountLooser = now.amounts.some(({ currency, minimum, windowMs }) => {
    const other = then.amounts.find((each) => each.currency === currency);
    return other === undefined || other.minimum > minimum || other.windowMs < windowMs;
  });
  return (
    isAmountLooser ||
    then.newBeneficiaryMs < now.newBeneficiaryMs ||
    then.lastsMs > now.lastsMs ||
    (now.isOfBatches && !then.isOfBatches)
  );
}
