import { isLosslessNumber, parse } from "lossless-json";
import { wholeFields } from "./gen/types.ts";

/**
 * Parses the platform's JSON without losing digits: integer fields become numbers, all other
 * numbers stay text. Throws if the text isn't JSON.
 */
export function parseExactJson(text: string): unknown {
  return parse(text, (key, value) => (isLosslessNumber(value) ? exact(key, value.value) : value));
}

function exact(field: string, digits: string): number | string {
  const value = Number(digits);
  return wholeFields.has(field) && Number.isSafeInteger(value) ? value : digits;
}

/** Returns true for a JSON object, not for lists and `null`. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
