import type { RefusalReason } from "./errors.ts";

/**
 * An expected refusal. Rules return it and never throw it. `detail` is safe to show to the
 * merchant. `reason` distinguishes causes with the same code. `payoutId` identifies the conflicting
 * payout. `violations` names failed fields beside a message that the contract fixes.
 */
export type Refused<Code extends string> = {
  readonly refused: Code;
  readonly detail?: string;
  readonly reason?: RefusalReason;
  readonly payoutId?: string;
  readonly violations?: readonly Violation[];
};

/**
 * Creates a refusal. `detail` replaces the code's own message, unless the contract fixes that
 * message.
 */
export function refused<const Code extends string>(code: Code, detail?: string): Refused<Code> {
  return detail === undefined ? { refused: code } : { refused: code, detail };
}

/** Creates a refusal with a reason that distinguishes causes with the same code. */
export function refusedBecause<const Code extends string>(
  code: Code,
  reason: RefusalReason,
): Refused<Code> {
  return { refused: code, reason };
}

/** Refuses a change of a record in another state. The message names its state and the needed one. */
export function refusedInState<const Code extends string>(
  code: Code,
  record: string,
  state: string,
  needed: string,
): Refused<Code> {
  return refused(code, `The ${record} is ${state}. It must be ${needed}.`);
}

/** Refuses a request whose field names a record that does not exist. */
export function unknownRecord(
  field: string,
  problem = "is not known",
): Refused<"RECORD_NOT_FOUND"> {
  return { refused: "RECORD_NOT_FOUND", violations: [{ field, problem }] };
}

export function isRefused<T>(answer: T): answer is Extract<T, Refused<string>> {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}

/** Refuses an operation id that was used with other content (decisions §9). */
export const otherContent = refused("INVALID_REQUEST", "operation_id: was used with other content");

/** Refuses a malformed cursor of a list. */
export const invalidCursor = refused("INVALID_REQUEST", "cursor: must be one that a list returned");

/**
 * A field and its problem. The problem continues a sentence that starts with the field:
 * `beneficiary_name: is required`.
 */
export type Violation = {
  readonly field: string;
  readonly problem: string;
  /** The lines of a batch that have the problem; absent for a field of the whole body. */
  readonly lines?: ViolatedLines | undefined;
};

export function isViolation(read: unknown): read is Violation {
  return typeof read === "object" && read !== null && "problem" in read;
}

/** Lines of a batch with the same problem. `numbers` and `rows` have at most a hundred entries. */
export type ViolatedLines = {
  /** Numbers of the lines, from 1. Empty for the header row of a file. */
  readonly numbers: readonly number[];
  /** Their rows in the file, as a spreadsheet counts them. Empty for a JSON body. */
  readonly rows: readonly number[];
  readonly count: number;
  /** The first line's own reference, or "". */
  readonly referenceId: string;
};

/** Returns a message that names every failing field, in the order of the form. */
export function violationsMessage(violations: readonly Violation[]): string {
  return violations.map((each) => `${each.field}: ${each.problem}`).join("; ");
}

export function invalidRequest(violations: readonly Violation[]): Refused<"INVALID_REQUEST"> {
  const refusal = refused("INVALID_REQUEST", violationsMessage(violations));
  // The message doesn't carry the lines of violations.
  const hasLines = violations.some(({ lines }) => lines !== undefined);
  return hasLines ? { ...refusal, violations } : refusal;
}
