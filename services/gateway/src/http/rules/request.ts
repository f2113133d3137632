import { MIMEType } from "node:util";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import {
  type ExactJson,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";
import { invalidRequest, type Refused, refused, type Violation } from "@disburse/kernel/refusal.ts";
import { bodyDepthMax, bodyKeysMax } from "../../openapi/rules/body-limits.ts";

/** Options that a caller sets for one request in its headers. */
export type Preferences = {
  /** If true, unknown fields of the body are refused. Otherwise they are ignored. */
  readonly isStrict: boolean;
  /** If true, amounts are JSON strings, for clients that parse JSON numbers as floats. */
  readonly textAmounts: boolean;
  /** If true, the operation only returns what it would do. */
  readonly isDryRun: boolean;
};

/** Request headers, keyed by lower-case name. Values of a repeated header are joined. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const strict = "Disburse-Strict";
const amounts = "Disburse-Amounts";
export const dryRun = "Disburse-Dry-Run";

const ours = "[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}";
const firstId = new RegExp(`^\\{"data":\\{"(?:[a-z]+_)*id":"(${ours})"`);
const wholeId = new RegExp(`^${ours}$`);

/**
 * Maximum headers. Clients send 10 to 30 and proxies add as many. More indicate an attack on the
 * parser.
 */
export const headersMax = 100;
/**
 * Maximum length of a header in bytes, including its name. Most proxies accept at most this much
 * for a line.
 */
export const headerLengthMax = 8 * 1024;

/** The raw head of a request. `rawHeaders` contains names and values in turn. */
export type RequestHead = {
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
};

/**
 * Returns all values of a header, one for each line that was sent. Node's own map of headers drops
 * repeated lines.
 */
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

/**
 * HTTP/0.9 is not supported. It has no headers, so proxies and logs can't tell its requests apart.
 */
const versions: ReadonlySet<string> = new Set(["1.0", "1.1"]);

/** Returns the length of a header's name and value together. Returns 0 for the index of a name. */
function lineLength(rawHeaders: readonly string[], value: string, at: number): number {
  return at % 2 === 0 ? 0 : (rawHeaders[at - 1]?.length ?? 0) + value.length;
}

/**
 * Refuses invalid requests that the HTTP parser accepts. It accepts versions other than 1.1 and
 * 1.0, too many or too long headers, a missing or repeated host (RFC 9112 §3.2), unsupported
 * transfer codings (§6.1) and expectations (RFC 9110 §10.1.1), and targets with an invalid path.
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
 * The target is a slash and visible ASCII without `#`. Clients never send a fragment (RFC 9112
 * §3.2.1). URL libraries interpret all other characters differently.
 */
const originForm = /^\/[!-"$-~]*$/;
/** Control characters. No path or query of the API contains any, and they could forge log lines. */
const controls = /\p{Cc}/u;

/**
 * Describes the problem of a request target to the merchant. Returns `undefined` if there is none.
 * Only the origin form is valid (RFC 9112 §3.2.1): a path and a query in percent-encoded UTF-8,
 * without control characters.
 */
export function targetProblem(target: string): string | undefined {
  if (!originForm.test(target)) return "The request target must be a path.";
  let decoded: string;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    return "The request target has invalid percent-encoding.";
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

/** Returns the charset that a content type names, or `undefined`. */
export function charsetOf(contentType: string): string | undefined {
  return parse(contentType)?.params.get("charset") ?? undefined;
}

/**
 * Returns true for an uncompressed UTF-8 body with the given media type, which is JSON by default.
 */
export function isPlain(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  essence:
    | "application/json"
    | "text/csv"
    | "application/vnd.ms-excel"
    | "application/x-www-form-urlencoded" = "application/json",
): boolean {
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") {
    return false;
  }
  const type = parse(contentType ?? "");
  const charset = type?.params.get("charset") ?? "utf-8";
  return type?.essence === essence && charset.toLowerCase() === "utf-8";
}

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

/** Measures the nesting depth and the number of keys. Counts only punctuation outside strings. */
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

/** Parses JSON. Returns the parser's error if it is invalid. */
function parseJson(text: string): ExactJson | SyntaxError {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** Parses JSON. Returns `undefined` if it is invalid or an object repeats a key. */
function parseStrictly(text: string): ExactJson | undefined {
  const { depth, keys } = measure(text);
  if (depth > bodyDepthMax) return undefined;
  const json = parseJson(text);
  return json instanceof SyntaxError || countKeys(json) !== keys ? undefined : json;
}

/** Describes why a text is not JSON, with the place. Repeats nothing of the text. */
export function jsonProblem(text: string): string {
  if (text.trim() === "") return "is empty: send a JSON object";
  if (measure(text).depth > bodyDepthMax) return `must nest at most ${bodyDepthMax} levels deep`;
  const error = parseJson(text);
  if (!(error instanceof SyntaxError)) return "must not repeat a key";
  if (error.message.startsWith("Duplicate key ")) return "must not repeat a key";
  const [, position] = / position (\d+)$/.exec(error.message) ?? [];
  const lines = text.slice(0, Number(position ?? text.length)).split("\n");
  return `is not valid JSON at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function invalidJson(problem: string): Refused<"INVALID_JSON"> {
  return { refused: "INVALID_JSON", violations: [{ field: "body", problem }] };
}

/** Reads the body of a POST, which must be a JSON object. */
export function readJsonBody(
  bytes: Uint8Array,
  keysMost = bodyKeysMax,
): JsonObject | Refused<"INVALID_JSON" | "INVALID_REQUEST"> {
  const text = readText(bytes);
  if (text === undefined) return invalidJson("must be UTF-8");
  const json = parseStrictly(text);
  if (json === undefined) return invalidJson(jsonProblem(text));
  if (!isJsonObject(json)) return refused("INVALID_REQUEST", "body: must be a JSON object");
  if (countKeys(json) > keysMost) {
    return refused("INVALID_REQUEST", `body: must have at most ${keysMost} keys`);
  }
  return json;
}

/**
 * Returns the `code` of an error response. Returns `undefined` for a success or a body without a
 * code.
 */
export function errorCodeOf(status: number, body: unknown): string | undefined {
  if (status < 400 || typeof body !== "string") return undefined;
  return /^\{"code":"([A-Z_]+)"/.exec(body)?.[1];
}

/**
 * Returns the id of the record in the response. If the response has none, returns the last id in
 * the path.
 */
export function recordIdOf(body: unknown, params: readonly string[]): string | undefined {
  const answered = typeof body === "string" ? firstId.exec(body)?.[1] : undefined;
  return answered ?? params.findLast((each) => wholeId.test(each));
}

const wantedError = "Disburse-Sandbox-Error";

/** Returns the error that a test wants from the sandbox. It is one of the operation's errors. */
export function errorWanted(
  headers: Headers,
  codes: readonly ErrorCode[],
): Refused<ErrorCode> | undefined {
  const sent = headers[wantedError.toLowerCase()];
  if (sent === undefined) return undefined;
  const code = codes.find((each) => each === sent);
  if (code !== undefined) return refused(code);
  const problem = `must be one of ${[...codes].sort().join(", ")}`;
  return invalidRequest([{ field: wantedError, problem }]);
}

/** Reads the preference headers. Each header accepts one of two words. */
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
  const isDryRun = read(dryRun, ["false", "true"]);
  return violations.length > 0 ? invalidRequest(violations) : { isStrict, textAmounts, isDryRun };
}
