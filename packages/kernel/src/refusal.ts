import type { RefusalReason } from "./errors.ts";

/**
 * An expected "no", never thrown in a rule; `detail` is safe to show to the merchant, `reason`
 * tells apart what shares a code, and `payoutId` is the payout that stands in the way.
 */
export type Refused<Code extends string> = {
  readonly refused: Code;
  readonly detail?: string;
  readonly reason?: RefusalReason;
  readonly payoutId?: string;
};

/** Makes a refusal. `detail` replaces the code's own message where the contract leaves it open. */
export function refused<const Code extends string>(code: Code, detail?: string): Refused<Code> {
  return detail === undefined ? { refused: code } : { refused: code, detail };
}

/** Makes a refusal of a code that several things share. */
export function refusedBecause<const Code extends string>(
  code: Code,
  reason: RefusalReason,
): Refused<Code> {
  return { refused: code, reason };
}

/** Whether a rule's answer is a refusal; narrows both ways. */
export function isRefused<T>(answer: T): answer is Extract<T, Refused<string>> {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}

/** The refusal of an operation id that is known with other content (decisions §9). */
export const otherContent = refused("INVALID_REQUEST", "operation_id: was used with other content");

/** One field that failed, in the words that the merchant reads: `beneficiary_name: is required`. */
export type Violation = { readonly field: string; readonly problem: string };

/** The message of `INVALID_REQUEST`: names every failing field, in the order of the form. */
export function violationsMessage(violations: readonly Violation[]): string {
  return violations.map((each) => `${each.field}: ${each.problem}`).join("; ");
}

/** The refusal of a request by the fields that failed. */
export function invalidRequest(violations: readonly Violation[]): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", violationsMessage(violations));
}
