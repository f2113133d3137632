import { MIMEType } from "node:util";
import {
  type ExactJson,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";
import { invalidRequest, type Refused, refused, type Violation } from "@disburse/kernel/refusal.ts";

/** A caller's choices for one request, from its headers. */
export type Preferences = {
  /** Refuse unknown fields of the body instead of ignoring them. */
  readonly isStrict: boolean;
  /** Return amounts as JSON strings, for clients that parse JSON numbers as floats. */
  readonly textAmounts: boolean;
};

/** Request headers by lower-case name. Repeated ones are joined. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const strict = "Disburse-Strict";
const amounts = "Disburse-Amounts";

const ours = "[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}";
const firstId = new RegExp(`^\\{"data":\\{"(?:[a-z]+_)*id":"(${ours})"`);
const wholeId = new RegExp(`^${ours}$`);

/** Clients send 10 to 30 headers and proxies add as many. More is an attack on the parser. */
export const headersMax = 100;
/** Name and value together, in bytes. Most proxies accept as much for one line. */
export const headerLengthMax = 8 * 1024;

/** The raw head of a request. `rawHeaders` alternates names and values. */
export type RequestHead = {
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
};

/** Returns every value of a header, one per line sent. Node's own map drops repetitions. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
}

type HeadRefusal =
  | "HEADERS_TOO_LARGE"
  | "INVALID_REQUEST"
  | "NOT_IMPLEMENTED"
  | "EXPECTATION_FAILED";

/** HTTP/0.9 has no headers, so proxies and logs cannot tell its requests apart. */
const versions: ReadonlySet<string> = new Set(["1.0", "1.1"]);

/** Length of a value with its name. Names alone count 0. */
function lineLength(rawHeaders: readonly string[], value: string, at: number): number {
  return at % 2 === 0 ? 0 : (rawHeaders[at - 1]?.length ?? 0) + value.length;
}

/**
 * Refuses requests that the HTTP parser accepts: other versions than 1.1 and 1.0, too many or too
 * long headers, a missing or repeated host (RFC 9112 §3.2), an unsupported transfer coding (§6.1),
 * an unsupported expectation (RFC 9110 §10.1.1), or a target that is not a clean path.
 */
export function headProblem(head: RequestHead): Refused<HeadRefusal> | undefined {
  const { rawHeaders } = head;
  if (!versions.has(head.httpVersion)) {
    return refused("INVALID_REQUEST", "The HTTP version must be 1.1 or 1.0.");
  }
  if (rawHeaders.length > 2 * headersMax) return refused("HEADERS_TOO_LARGE");
  if (rawHeaders.some((value, at) => lineLength(rawHeaders, value, at) > headerLengthMax)) {
    return refused("HEADERS_TOO_LARGE");
  }
  const hosts = headerValues(rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && head.httpVersion === "1.1")) {
    return refused("INVALID_REQUEST", "Host: must be sent exactly once");
  }
  const codings = headerValues(rawHeaders, "transfer-encoding").join(",");
  if (codings !== "" && codings.trim().toLowerCase() !== "chunked") {
    return refused("NOT_IMPLEMENTED");
  }
  const expectations = headerValues(rawHeaders, "expect").join(",").toLowerCase();
  if (expectations !== "" && expectations !== "100-continue") return refused("EXPECTATION_FAILED");
  const problem = targetProblem(head.target);
  return problem === undefined ? undefined : refused("INVALID_REQUEST", problem);
}

/**
 * Visible ASCII without `#`, starting with a slash. A fragment is never sent (RFC 9112 §3.2.1), and
 * URL libraries disagree about all other characters.
 */
const originForm = /^\/[!-"$-~]*$/;
/** Our paths and queries have none, and they can forge log lines. */
const controls = /\p{Cc}/u;

/**
 * Returns the problem of a request target in words for the merchant, or `undefined`. Accepts only
 * the origin form (RFC 9112 §3.2.1): a path and a query in valid percent-encoded UTF-8, without
 * control characters.
 */
export function targetProblem(target: string): string | undefined {
  if (!originForm.test(target)) return "The request target must be a path.";
  let decoded: string;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    return "The request target is not well percent-encoded.";
  }
  return controls.test(decoded) ? "The request target has control characters." : undefined;
}

function parse(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    // The constructor throws only for an invalid MIME type.
    return undefined;
  }
}

/** Accepts uncompressed UTF-8 bodies of one media type, JSON by default. */
export function isPlain(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  essence:
    | "application/json"
    | "text/csv"
    | "application/x-www-form-urlencoded" = "application/json",
): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") {
    return false;
  }
  const type = parse(contentType ?? "");
  const charset = type?.params.get("charset") ?? "utf-8";
  return type?.essence === essence && charset.toLowerCase() === "utf-8";
}

/** The deepest form has 3 levels. No honest body exceeds this, and no parser's stack is at risk. */
export const depthMax = 10;
/** The longest form with 20 company owners has about 200 fields. */
export const keysMax = 200;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the decoded text without a byte-order mark, or `undefined` if it is not UTF-8. */
export function readText(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // The decoder throws only for invalid UTF-8.
    return undefined;
  }
}

/** Measures nesting depth and number of keys by the punctuation outside strings. */
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

/** Returns `undefined` for invalid JSON, and for a repeated key in an object. */
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

/** Reads the JSON object that every POST of the interface expects. */
export function readJsonBody(
  bytes: Uint8Array,
  keysMost = keysMax,
): JsonObject | Refused<"INVALID_JSON" | "INVALID_REQUEST"> {
  const text = readText(bytes);
  const json = text === undefined ? undefined : parseStrictly(text);
  if (json === undefined) return refused("INVALID_JSON");
  if (!isJsonObject(json)) return refused("INVALID_REQUEST", "body: must be a JSON object");
  if (countKeys(json) > keysMost) {
    return refused("INVALID_REQUEST", `body: must have at most ${keysMost} keys`);
  }
  return json;
}

/** Returns `code` of an error's body; `undefined` for a success or any other body. */
export function errorCodeOf(status: number, body: unknown): string | undefined {
  if (status < 400 || typeof body !== "string") return undefined;
  return /^\{"code":"([A-Z_]+)"/.exec(body)?.[1];
}

/** Returns the id of the response's record, otherwise the last id in the path. */
export function recordIdOf(body: unknown, params: readonly string[]): string | undefined {
  const answered = typeof body === "string" ? firstId.exec(body)?.[1] : undefined;
  return answered ?? params.findLast((each) => wholeId.test(each));
}

/** Each preference header accepts one of two words. */
export function readPreferences(headers: Headers): Preferences | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const read = (name: string, words: readonly [usual: string, preferred: string]): boolean => {
    const sent = headers[name.toLowerCase()];
    if (sent === undefined || sent === words[0]) return false;
    if (sent !== words[1]) {
      violations.push({ field: name, problem: `must be one of ${words.join(", ")}` });
    }
    return true;
  };
  const isStrict = read(strict, ["false", "true"]);
  const textAmounts = read(amounts, ["number", "string"]);
  return violations.length > 0 ? invalidRequest(violations) : { isStrict, textAmounts };
}
