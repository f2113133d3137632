import type { Violation } from "./refusal.ts";

/** Every rule that a field can break, in the order of the documentation. */
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
 * What a field broke, for programs: `required`: it is missing; `type`: another kind of value;
 * `length`: too short, too long or too many; `range`: out of bounds; `choice`: none of a closed
 * set; `format`: not well formed; `unknown`: not known here; `repeated`: more than once;
 * `conflict`: it does not go with another field, or with what was sent before.
 */
export type ViolationRule = (typeof violationRules)[number];

/** A field that failed, as an error body has it beside its message. */
export type WireViolation = {
  readonly field: string;
  readonly rule: ViolationRule;
  readonly message: string;
};

/** By the words of a problem; the first that fits decides. */
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

/** The rule that a problem is about: its words are this project's own. */
export function ruleOf(problem: string): ViolationRule {
  return rules.find(([, words]) => words.test(problem))?.[0] ?? "format";
}

/** Where the next field begins in a message that names several. */
const nextField = /; (?=[\w.[\]-]+: )/;
const oneField = /^([\w.[\]-]+): (.+)$/s;

/**
 * The fields that the message of an `INVALID_REQUEST` names: the way back from
 * `violationsMessage`. Empty where the message is about no field.
 */
export function readViolations(message: string): WireViolation[] {
  const parts = message.split(nextField).map((part) => oneField.exec(part));
  return parts.flatMap((part) => {
    const [, field, problem] = part ?? [];
    if (field === undefined || problem === undefined) return [];
    return [{ field, rule: ruleOf(problem), message: problem }];
  });
}

/** The problem of a field that is not known, with the known one that was probably meant. */
export function unknownField(field: string, meant: string | undefined): Violation {
  const suggestion = meant === undefined ? "" : `, did you mean ${meant}?`;
  return { field, problem: `is not known here${suggestion}` };
}
