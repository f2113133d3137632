import { isLosslessNumber, parse } from "lossless-json";
import { wholeFields } from "./gen/types.ts";

/**
 * JSON of the platform, with no digit lost: fields that are whole numbers become numbers, all
 * other numbers stay the text they were written as. Throws where the text is no JSON.
 */
export function parseExactJson(text: string): unknown {
  return parse(text, (key, value) => (isLosslessNumber(value) ? exact(key, value.value) : value));
}

function exact(field: string, digits: string): number | string {
  const value = Number(digits);
  return wholeFields.has(field) && Number.isSafeInteger(value) ? value : digits;
}

/** Whether a JSON value is an object, and so may have fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
