import {
  type ExactJson,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/**
 * The deepest form nests 3 deep; past this no honest body goes, and no parser's stack is at risk.
 */
export const depthMax = 10;
/** The longest form with 20 company owners has about 200 fields. */
export const keysMax = 200;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How deep a JSON text nests and how many keys stand in it, by its punctuation outside strings. */
function measure(text: string): { depth: number; keys: number } {
  let [depth, deepest, keys] = [0, 0, 0];
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === ":") keys += 1;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth -= 1;
  }
  return { depth: deepest, keys };
}

function countKeys(json: ExactJson): number {
  if (Array.isArray(json)) return json.reduce((sum, item) => sum + countKeys(item), 0);
  if (!isJsonObject(json)) return 0;
  return Object.values(json).reduce<number>((sum, item) => sum + 1 + countKeys(item), 0);
}

/** The text's value, or `undefined` where it is no JSON or a key stands twice in an object. */
function parseStrictly(text: string): ExactJson | undefined {
  const { depth, keys } = measure(text);
  if (depth > depthMax) return undefined;
  try {
    const json = parseExactJson(text);
    return countKeys(json) === keys ? json : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A body as the object that every POST of the interface takes. */
export function readJsonBody(
  bytes: Uint8Array,
): JsonObject | Refused<"INVALID_JSON" | "INVALID_REQUEST"> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    // The decoder throws for one reason: the bytes are not UTF-8.
    return refused("INVALID_JSON");
  }
  const json = parseStrictly(text);
  if (json === undefined) return refused("INVALID_JSON");
  if (!isJsonObject(json)) return refused("INVALID_REQUEST", "body: must be a JSON object");
  if (countKeys(json) > keysMax) {
    return refused("INVALID_REQUEST", `body: must have at most ${keysMax} keys`);
  }
  return json;
}
