import type { Violation } from "./refusal.ts";

/** In the order of the documentation. */
export const violationRules = [
  "required",
  "type",
  "length",
  "range",
  "choice",
  "format",
  "unknown",
  "repeated",
  "conflict",
] as const;

/**
 * Machine-readable rule that a field broke. `required`: it is missing. `type`: another kind of
 * value. `length`: too short, too long or too many. `range`: out of bounds. `choice`: not in a
 * closed list. `format`: not well formed. `unknown`: not known here. `repeated`: more than once.
 * `conflict`: it contradicts another field, or an earlier request.
 */
export type ViolationRule = (typeof violationRules)[number];

/** A failed field in an error body. */
export type WireViolation = {
  readonly field: string;
  readonly rule: ViolationRule;
  readonly message: string;
};

/** Patterns of problem texts; the first match decides. */
const rules: readonly (readonly [ViolationRule, RegExp])[] = [
  ["required", /^(is required|needs )/],
  ["unknown", /^is not known\b/],
  ["repeated", /^must not (be repeated|come twice)/],
  ["conflict", /\bwhere\b|^(was used|must be after|must not be above|is .+ was submitted)/],
  ["type", /^must be (a string|a number|text|true or false|an object|a JSON object|an array$)/],
  ["choice", /^must be (an array of )?(one )?(or more )?of /],
  [
    "range",
    /^must (be a whole number|be greater|be in the|not be (in the|before|negative)|be at least)/,
  ],
  ["range", /\b(digits before the point|decimals|30 days)\b|^(would|must cover)/],
  ["length", /^must (have at (most|least)|be at most|nest)|^must be \d+ to \d+ .*characters$/],
];

/** Derives the rule from the text, because all problem texts are this project's own. */
export function ruleOf(problem: string): ViolationRule {
  return rules.find(([, words]) => words.test(problem))?.[0] ?? "format";
}

/** The start of the next field in a message that names several. */
const nextField = /; (?=[\w.[\]-]+: )/;
const oneField = /^([\w.[\]-]+): (.+)$/s;

/**
 * Parses the message of an `INVALID_REQUEST`, the inverse of `violationsMessage`. Returns an empty
 * list if the message names no field.
 */
export function readViolations(message: string): WireViolation[] {
  const parts = message.split(nextField).map((part) => oneField.exec(part));
  return parts.flatMap((part) => {
    const [, field, problem] = part ?? [];
    if (field === undefined || problem === undefined) return [];
    return [{ field, rule: ruleOf(problem), message: problem }];
  });
}

/** Suggests the known field that was probably meant. */
export function unknownField(field: string, meant: string | undefined): Violation {
  const suggestion = meant === undefined ? "" : `, did you mean ${meant}?`;
  return { field, problem: `is not known here${suggestion}` };
}
