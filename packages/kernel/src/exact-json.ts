import { parse } from "lossless-json";

/** JSON whose numbers keep their digits: no amount passes through a binary float. */

/** A number of a JSON document as it was written there. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value whose numbers kept their digits. */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | JsonObject;

/** A JSON object whose numbers kept their digits. */
export type JsonObject = { [key: string]: ExactJson };

/** Whether a JSON value is an object, and so may have fields. */
export function isJsonObject(json: ExactJson | undefined): json is JsonObject {
  return (
    typeof json === "object" &&
    json !== null &&
    !Array.isArray(json) &&
    !(json instanceof ExactNumber)
  );
}

/** Throws `SyntaxError`, also for a key with two values; `RangeError` for nesting too deep. */
export function parseExactJson(text: string): ExactJson {
  return parse(text, null, { parseNumber: (digits) => new ExactNumber(digits) }) as ExactJson;
}

/** TypeScript's library does not know `rawJSON` of ECMAScript 2026 yet. */
const json = JSON as unknown as { rawJSON(text: string): unknown };

const numberText = /^-?\d+(\.\d+)?$/;

/** A decimal's digits as a JSON number, for `JSON.stringify` to write verbatim. */
export function exactNumber(digits: string): unknown {
  if (!numberText.test(digits)) throw new Error("not the digits of a number");
  return json.rawJSON(digits);
}

/** A value that was read, for `JSON.stringify` to write again, each number as it was. */
export function exactValue(value: ExactJson): unknown {
  if (value instanceof ExactNumber) return json.rawJSON(value.text);
  if (Array.isArray(value)) return value.map(exactValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, exactValue(each)]));
}
