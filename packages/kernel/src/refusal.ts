import type { RefusalReason } from "./errors.ts";

/**
 * An expected refusal, which rules return and never throw. `detail` is safe to show to the
 * merchant, `reason` distinguishes causes of one code, and `payoutId` is the conflicting payout.
 */
export type Refused<Code extends string> = {
  readonly refused: Code;
  readonly detail?: string;
  readonly reason?: RefusalReason;
  readonly payoutId?: string;
};

/** `detail` replaces the code's own message if the contract does not fix it. */
export function refused<const Code extends string>(code: Code, detail?: string): Refused<Code> {
  return detail === undefined ? { refused: code } : { refused: code, detail };
}

/** `reason` distinguishes causes of one code. */
export function refusedBecause<const Code extends string>(
  code: Code,
  reason: RefusalReason,
): Refused<Code> {
  return { refused: code, reason };
}

export function isRefused<T>(answer: T): answer is Extract<T, Refused<string>> {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}

/** Refuses an operation id that was used with other content (decisions §9). */
export const otherContent = refused("INVALID_REQUEST", "operation_id: was used with other content");

/** The problem reads as a sentence after the field: `beneficiary_name: is required`. */
export type Violation = { readonly field: string; readonly problem: string };

/** Names every failing field, in the order of the form. */
export function violationsMessage(violations: readonly Violation[]): string {
  return violations.map((each) => `${each.field}: ${each.problem}`).join("; ");
}

export function invalidRequest(violations: readonly Violation[]): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", violationsMessage(violations));
}
