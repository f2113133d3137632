import type { ViolatedLines, Violation } from "./refusal.ts";

/** All rules, in the order of the documentation. */
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
 * A machine-readable name of the rule that a field broke. `required`: the field is missing. `type`:
 * the value has the wrong kind. `length`: the value is too short or too long, or has too many
 * items. `range`: the value is out of bounds. `choice`: the value is not in the closed list.
 * `format`: the value is not well-formed. `unknown`: the field or its value is not known.
 * `repeated`: the value occurs more than once. `conflict`: the value contradicts another field or
 * an earlier request.
 */
export type ViolationRule = (typeof violationRules)[number];

/** A failed field in an error body. */
export type WireViolation = {
  readonly field: string;
  readonly rule: ViolationRule;
  readonly message: string;
  /** The row of the file, as a spreadsheet counts it: the header is row 1. */
  readonly row?: number;
  /** The line's own reference. */
  readonly reference_id?: string;
  /** If several lines have the problem: their numbers from 1, their rows and their count. */
  readonly lines?: readonly number[];
  readonly rows?: readonly number[];
  readonly line_count?: number;
};

/** Patterns of problem texts. The first one that matches determines the rule. */
const rules: readonly (readonly [ViolationRule, RegExp])[] = [
  ["required", /^((is|are) required|needs |must (have at least one of|be sent (again )?with) )/],
  ["unknown", /^is not (known\b|supported)|\bknown currenc(y|ies)$/],
  ["repeated", /^must (not (be repeated|come twice|repeat )|have names that differ )/],
  // Before the other conflicts, because an expired key's time contradicts no field of the request.
  ["range", /^must not be after \d/],
  ["conflict", /\bwhere\b|^must (be after|not be (after|above|below)|be less than) /],
  ["conflict", /^must be ((in )?the .+'s currency|the same in|that of)\b/],
  ["conflict", /^(was|cannot be|does not match|is (already|only allowed|a parameter)) /],
  ["conflict", /^is (not in any|.+ was submitted)|\bhas no amounts of\b/],
  ["type", /^must be (a string|a number|text|true or false|an object|a JSON object|an array$)/],
  ["range", /^must be (at most \d+ (days|pixels)|(between |from )?\d+ (to|and|or) (\d+|more)$)/],
  ["range", /^must be (a whole number|greater|at least|in the|later|within)\b/],
  ["range", /^must (cover|not be (in the|before|negative))|^is before /],
  ["range", /\b(digits before the point|decimals|would|together must be)\b/],
  ["choice", /^must be ((an array of )?(one )?(or more )?of|a list of|open:) /],
  ["choice", /^must be (\w+(, \w+)* or \w+|[A-Z]{2})$/],
  ["length", /^(must|can) (have (at (most|least)|\d+ to \d+)|contain \d+ to \d+|nest) /],
  ["length", /^must be (at most|\d+ to \d+ (printable )?characters\b)/],
];

/** Derives the rule from the text, because all problem texts are this project's own. */
export function ruleOf(problem: string): ViolationRule {
  return rules.find(([, words]) => words.test(problem))?.[0] ?? "format";
}

/** Matches the start of the next field in a message with several fields. */
const nextField = /; (?=[\w.[\]%-]+: )/;
const oneField = /^([\w.[\]%-]+): (.+)$/s;

/**
 * Parses the message of an `INVALID_REQUEST`, the inverse of `violationsMessage`. Returns an empty
 * list if the message names no field.
 */
export function readViolations(message: string): WireViolation[] {
  const parts = message.split(nextField).map((part) => oneField.exec(part));
  return parts.flatMap((part) => {
    const [, field, problem] = part ?? [];
    if (field === undefined || problem === undefined) return [];
    return [wireViolation({ field, problem })];
  });
}

/** Returns a violation as the error body has it. */
export function wireViolation({ field, problem, lines }: Violation): WireViolation {
  return { field, rule: ruleOf(problem), message: problem, ...(lines && wireLines(lines)) };
}

function wireLines({ numbers, rows, count, referenceId }: ViolatedLines) {
  const [row] = rows;
  return {
    ...(row !== undefined && { row }),
    ...(referenceId !== "" && { reference_id: referenceId }),
    ...(count > 1 && { lines: numbers }),
    ...(count > 1 && rows.length > 0 && { rows }),
    ...(count > 1 && { line_count: count }),
  };
}

const nameMax = 64;

/**
 * Returns a client's name of a field in a form that is safe in messages, headers and paths. Only
 * letters, digits, `_` and `-` stay; others are percent-encoded, and a long name is cut.
 */
export function shownName(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /[!'()*.~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (encoded === "") return "[]";
  return encoded.length > nameMax ? `${encoded.slice(0, nameMax)}...` : encoded;
}

/** Reports an unknown field and suggests the field that was probably meant. */
export function unknownField(field: string, meant: string | undefined): Violation {
  const suggestion = meant === undefined ? "" : `, did you mean ${meant}?`;
  return { field, problem: `is not known here${suggestion}` };
}
