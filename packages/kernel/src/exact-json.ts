import { parse } from "lossless-json";

/**
 * These JSON functions keep every digit of a number, so no amount passes through a binary float.
 */

/** A JSON number with its original digits. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | JsonObject;

export type JsonObject = { [key: string]: ExactJson };

export function isJsonObject(json: ExactJson | undefined): json is JsonObject {
  return (
    typeof json === "object" &&
    json !== null &&
    !Array.isArray(json) &&
    !(json instanceof ExactNumber)
  );
}

/**
 * Parses JSON. Throws `SyntaxError` for invalid JSON or a repeated key, and `RangeError` if it is
 * nested too deeply.
 */
export function parseExactJson(text: string): ExactJson {
  return parse(text, null, { parseNumber: (digits) => new ExactNumber(digits) }) as ExactJson;
}

/** TypeScript's library has no types for `rawJSON` of ECMAScript 2026. */
const json = JSON as unknown as { rawJSON(text: string): unknown };

const numberText = /^-?\d+(\.\d+)?$/;

/** Returns a JSON number that `JSON.stringify` writes digit for digit. */
export function exactNumber(digits: string): unknown {
  if (!numberText.test(digits)) throw new Error("the text is not a decimal number");
  return json.rawJSON(digits);
}

/** Converts a parsed value for `JSON.stringify`, which then writes each number as it was read. */
export function exactValue(value: ExactJson): unknown {
  if (value instanceof ExactNumber) return json.rawJSON(value.text);
  if (Array.isArray(value)) return value.map(exactValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, exactValue(each)]));
}
