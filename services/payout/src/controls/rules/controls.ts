import type { Violation } from "@disburse/kernel/refusal.ts";
import {
  type ApprovalRules,
  type ApprovalRulesText,
  approvalViolations,
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
