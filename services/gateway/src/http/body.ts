import type { IncomingMessage } from "node:http";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type LargeBody, sizeText } from "../openapi/route.ts";
import type { Sheet } from "../openapi/rules/sheet.ts";
import type { PageAnswer } from "./answer.ts";
import type { HttpContext, RouterContext } from "./observe.ts";
import { readCsvBody } from "./rules/csv.ts";
import { mediaTypeHint } from "./rules/hints.ts";
import { isPlain, readJsonBody, readText } from "./rules/request.ts";
import type { Upload } from "./uploads.ts";

/** Maximum size of a body. Ten times the largest form, batches excluded (decisions §2). */
const bodyMax = 64 * 1024;
/**
 * An oversized body is read and dropped up to this size. Simple clients read the response only
 * after they have sent the whole body.
 */
const drainMax = 1024 * 1024;
/** Time that a client that still sends its body has to read the response. */
const lingerMs = 1_000;
/** Browsers on computers with Excel send the second type for a CSV file (RFC 4180 has the first). */
const csvTypes = ["text/csv", "application/vnd.ms-excel"] as const;

/** Returns the body's JSON object. An optional empty body becomes `{}`. */
export async function readBody(
  { req, res }: RouterContext,
  isOptional: boolean,
): Promise<JsonObject | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = req.headers;
  if (hasBody(req) && !isPlain(type, encoding)) return unsupported(req);
  if (announced(req) > drainMax) return refused("PAYLOAD_TOO_LARGE");
  // The caller is authenticated and the body's length is accepted, so the client may send the body.
  if (awaitsContinue(req)) res.writeContinue();
  const bytes = await readBytes(req, bodyMax);
  if (isRefused(bytes)) return bytes;
  return bytes.length === 0 && isOptional ? {} : readJsonBody(bytes);
}

function unsupported(
  { headers }: IncomingMessage,
  types: readonly string[] = ["application/json"],
): Refused<"UNSUPPORTED_MEDIA_TYPE"> {
  const { message } = errorTable.UNSUPPORTED_MEDIA_TYPE;
  const accepted = message.replace("application/json", types.join(" or "));
  const hint = mediaTypeHint(headers["content-type"], headers["content-encoding"], types);
  return refused("UNSUPPORTED_MEDIA_TYPE", `${accepted} ${hint}`);
}

/** Reads a browser's form. The last value of a repeated field wins. */
export async function readForm({
  req,
}: RouterContext): Promise<Readonly<Record<string, string>> | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = req.headers;
  if (!isPlain(type, encoding, "application/x-www-form-urlencoded")) {
    return refused("UNSUPPORTED_MEDIA_TYPE");
  }
  if (announced(req) > drainMax) return refused("PAYLOAD_TOO_LARGE");
  const bytes = await readBytes(req, bodyMax);
  if (isRefused(bytes)) return bytes;
  return Object.fromEntries(new URLSearchParams(readText(bytes) ?? ""));
}

/** A body with many lines. `sheet` is set if the lines were sent as a file. */
export type LinesBody = { readonly body: JsonObject; readonly sheet?: Sheet };

/** Reads the JSON object of a body with many lines. The body is JSON or a CSV file. */
export async function readLargeBody(
  { req, res, query }: RouterContext,
  { bytesMax, keysMax, csv }: LargeBody,
  begin: () => Upload | Refused<"RATE_LIMITED">,
): Promise<LinesBody | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = req.headers;
  const isCsv = csv !== undefined && csvTypes.some((each) => isPlain(type, encoding, each));
  if (!isCsv && !isPlain(type, encoding)) {
    return unsupported(req, ["application/json", ...(csv === undefined ? [] : [csvTypes[0]])]);
  }
  if (announced(req) > bytesMax) return refused("PAYLOAD_TOO_LARGE", tooLargeText(bytesMax));
  const upload = begin();
  if (isRefused(upload)) return upload;
  if (awaitsContinue(req)) res.writeContinue();
  const bytes = await readBytes(req, bytesMax, upload.keep);
  if (isRefused(bytes)) return bytes;
  return upload.parse(() => {
    if (isCsv) return readCsvBody(bytes, csv, query);
    const body = readJsonBody(bytes, keysMax);
    return isRefused(body) ? body : { body };
  });
}

function tooLargeText(bytesMax: number): string {
  return `The request body is larger than ${sizeText(bytesMax)}.`;
}

type Unread = "PAYLOAD_TOO_LARGE" | "REQUEST_TIMEOUT" | "SERVICE_UNAVAILABLE";

/** Reads the body and drops bytes beyond the limit. `keep` returns `false` if no memory is left. */
async function readBytes(
  request: IncomingMessage,
  bytesMax: number,
  keep: (bytes: number) => boolean = () => true,
): Promise<Buffer | Refused<Unread>> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > Math.max(drainMax, bytesMax)) break;
      if (size > bytesMax) continue;
      if (!keep((chunk as Buffer).length)) return refused("SERVICE_UNAVAILABLE");
      kept.push(chunk as Buffer);
    }
  } catch (error) {
    // The client disconnected, or the server has already responded with a timeout.
    if (request.errored !== null) return refused("REQUEST_TIMEOUT");
    throw error;
  }
  if (size <= bytesMax) return Buffer.concat(kept);
  const text = bytesMax > bodyMax ? tooLargeText(bytesMax) : undefined;
  return refused("PAYLOAD_TOO_LARGE", text);
}

/**
 * Returns true if the client would send more of the body after the response than the server wants
 * to read.
 */
export function leavesBody(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  const isRead = request.readableDidRead && announced(request) <= drainMax;
  const isShort = announced(request) <= bodyMax && !awaitsContinue(request);
  return request.headers["transfer-encoding"] !== undefined || !(isRead || isShort);
}

/**
 * Responds without reading the rest of the request's body. Closes the connection only after a
 * delay, because a client that sends to a closed connection loses the response.
 */
export function answerUnread(ctx: HttpContext | RouterContext, body: PageAnswer["body"]): void {
  const bytes = Buffer.from(body as string | Buffer);
  const { res, req } = ctx;
  // The response is written but never ended, because Node would read the rest of the body after its
  // end. So Koa must not end it.
  ctx.respond = false;
  ctx.set({ Connection: "close", "Content-Length": String(bytes.length) });
  const close = () => void setTimeout(() => req.socket.destroy(), lingerMs);
  setImmediate(() => {
    // The same connection carried an unparsable request after this one, and the server has already
    // responded to it.
    if (!req.socket.writable) return;
    res.flushHeaders();
    if (ctx.method === "HEAD" || bytes.length === 0) close();
    else res.write(bytes, close);
  });
}

/** Returns the content length in bytes. Returns 0 without a body and for chunked bodies. */
function announced({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/**
 * Returns true if the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
 */
function awaitsContinue({ headers, httpVersion, readableDidRead }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === "1.1" && !readableDidRead;
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || announced(request) > 0;
}
