import { STATUS_CODES } from "node:http";
import type { Log } from "@disburse/chassis/log.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { refusalAnswer } from "./answer.ts";
import { securityHeaders } from "./observe.ts";

/** Node's codes that do not simply mean that this is no HTTP request. */
const byParserCode: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "PAYLOAD_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** What a request is refused with that the HTTP parser could not read. */
export function parserRefusal(error: NodeJS.ErrnoException): Refused<ErrorCode> {
  const code = byParserCode[error.code ?? ""];
  return code === undefined
    ? refused("INVALID_REQUEST", "This is not a well-formed HTTP request.")
    : refused(code);
}

/**
 * A whole HTTP answer as text, for a socket that no request object exists for; one line tells of
 * it.
 */
export function rawAnswer(
  refusal: Refused<ErrorCode>,
  log: Log,
  more: Readonly<Record<string, string>> = {},
): string {
  const requestId = crypto.randomUUID();
  const { status, headers, body } = refusalAnswer(refusal, more);
  const all = {
    ...headers,
    ...securityHeaders,
    "X-Request-Id": requestId,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
  };
  const fields = { request_id: requestId, route: "unreadable", status, code: refusal.refused };
  log.info(fields, "request");
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
