import type { Violation } from "@disburse/kernel/refusal.ts";
import {
  type ApprovalRules,
  type ApprovalRulesText,
  approvalViolations,
  hasRules,
  readApprovalRules,
} from "./approval.ts";

/** What stands before a merchant's payouts, as operators write it, and as it is stored. */
export type ControlsText = {
  /** Absent or 0 where the merchant has no guard against duplicates. */
  readonly duplicate_window_seconds?: number;
  /** Absent where no rules were ever set. */
  readonly approval?: ApprovalRulesText;
};

/** A merchant's controls as they are applied. */
export type Controls = {
  /** How long an executed payout is one that another may repeat; `undefined`: no guard. */
  readonly duplicateWindowMs: number | undefined;
  readonly approval: ApprovalRules | undefined;
};

/** Longer than a merchant's books are open for a month's payments and their corrections. */
const duplicateWindowMaxSeconds = 90 * 86_400;

/** Why controls cannot be set, by field. */
export function controlViolations(controls: ControlsText): Violation[] {
  const { duplicate_window_seconds: window = 0, approval } = controls;
  const ofApproval = approval === undefined ? [] : approvalViolations(approval);
  if (window >= 0 && window <= duplicateWindowMaxSeconds) return ofApproval;
  const problem = `must be 0 to ${duplicateWindowMaxSeconds}`;
  return [{ field: "duplicate_window_seconds", problem }, ...ofApproval];
}

/** Controls as they are applied. */
export function readControls({ duplicate_window_seconds = 0, approval }: ControlsText): Controls {
  const windowMs = duplicate_window_seconds * 1_000;
  return {
    duplicateWindowMs: windowMs === 0 ? undefined : windowMs,
    approval: approval && readApprovalRules(approval),
  };
}

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
