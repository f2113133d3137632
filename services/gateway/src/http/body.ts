import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { PageAnswer } from "./answer.ts";
import type { HttpContext, RouterContext } from "./observe.ts";
import { isPlainJson, readJsonBody } from "./rules/request.ts";

/** The largest form is a tenth of it (decisions §2). */
const bodyMax = 64 * 1024;
/** A merchant's body that is too large is drained up to here: a plain client gets the answer. */
const drainMax = 1024 * 1024;
/** A client that is still sending has this long to read the answer. */
const lingerMs = 1_000;

/** The JSON object of a request's body; an empty one counts as `{}` where it may be left out. */
export async function readBody(
  { req, res }: RouterContext,
  isOptional: boolean,
): Promise<JsonObject | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = req.headers;
  if (hasBody(req) && !isPlainJson(type, encoding)) return refused("UNSUPPORTED_MEDIA_TYPE");
  if (announced(req) > drainMax) return refused("PAYLOAD_TOO_LARGE");
  // Only now, when caller and length are known to be good.
  if (awaitsContinue(req)) res.writeContinue();
  const bytes = await readBytes(req);
  if (isRefused(bytes)) return bytes;
  return bytes.length === 0 && isOptional ? {} : readJsonBody(bytes);
}

/** A request's body; the bytes past the limit are not kept. */
async function readBytes(
  request: IncomingMessage,
): Promise<Buffer | Refused<"PAYLOAD_TOO_LARGE" | "REQUEST_TIMEOUT">> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > drainMax) break;
      if (size <= bodyMax) kept.push(chunk as Buffer);
    }
  } catch (error) {
    // The client disconnected, or the server has timed the request out and answered.
    if (request.errored !== null) return refused("REQUEST_TIMEOUT");
    throw error;
  }
  return size > bodyMax ? refused("PAYLOAD_TOO_LARGE") : Buffer.concat(kept);
}

/** Whether a request, once answered, would go on with more of a body than is worth reading. */
export function leavesBody(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  const isRead = request.readableDidRead && announced(request) <= drainMax;
  const isShort = announced(request) <= bodyMax && !awaitsContinue(request);
  return request.headers["transfer-encoding"] !== undefined || !(isRead || isShort);
}

/**
 * Answers and leaves the rest of the request's body unread. The connection closes in a moment, not
 * at once: what a client still sends to a closed one makes it lose the answer.
 */
export function answerUnread(ctx: HttpContext | RouterContext, body: PageAnswer["body"]): void {
  const bytes = Buffer.from(body as string | Buffer);
  const { res, req } = ctx;
  // Node would read a body to its end once the answer has ended, so the answer never ends.
  ctx.respond = false;
  ctx.set({ Connection: "close", "Content-Length": String(bytes.length) });
  const close = () => void setTimeout(() => req.socket.destroy(), lingerMs);
  setImmediate(() => {
    // What the parser could not read right behind the head has been answered by now.
    if (!req.socket.writable) return;
    res.flushHeaders();
    if (ctx.method === "HEAD" || bytes.length === 0) close();
    else res.write(bytes, close);
  });
}

/** The length that a request says it has, in bytes; 0 for none and for chunks. */
function announced({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Whether its client sends no body before it is asked to (RFC 9110 §10.1.1). */
function awaitsContinue({ headers, httpVersion, readableDidRead }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === "1.1" && !readableDidRead;
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || announced(request) > 0;
}
