import type { Violation } from "@disburse/kernel/refusal.ts";
import {
  type ApprovalRules,
  type ApprovalRulesText,
  approvalViolations,
  readApprovalRules,
} from "./approval.ts";

/** A merchant's payout controls in the form that operators write and the database stores. */
export type ControlsText = {
  /** In seconds. If absent or 0, there is no duplicate guard. */
  readonly duplicate_window_seconds?: number;
  /** Absent if no rules were ever set. */
  readonly approval?: ApprovalRulesText;
};

export type Controls = {
  /** The period in which the guard searches for duplicates. `undefined` if there is no guard. */
  readonly duplicateWindowMs: number | undefined;
  readonly approval: ApprovalRules | undefined;
};

/**
 * The maximum window, 90 days. It covers monthly payments and late corrections in a merchant's
 * books.
 */
const duplicateWindowMaxSeconds = 90 * 86_400;

export function controlViolations(controls: ControlsText): Violation[] {
  const { duplicate_window_seconds: window = 0, approval } = controls;
  const ofApproval = approval === undefined ? [] : approvalViolations(approval);
  if (window >= 0 && window <= duplicateWindowMaxSeconds) return ofApproval;
  const problem = `must be 0 to ${duplicateWindowMaxSeconds}`;
  return [{ field: "duplicate_window_seconds", problem }, ...ofApproval];
}

export function readControls({ duplicate_window_seconds = 0, approval }: ControlsText): Controls {
  const windowMs = duplicate_window_seconds * 1_000;
  return {
    duplicateWindowMs: windowMs === 0 ? undefined : windowMs,
    approval: approval && readApprovalRules(approval),
  };
}
