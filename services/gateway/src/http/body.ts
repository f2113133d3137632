import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { readJsonBody } from "./rules/json-body.ts";
import { isPlainJson } from "./rules/request.ts";

/** The largest form is a tenth of it (decisions §2). */
export const bodyMax = 64 * 1024;
/** A body that is too large is read away up to here, so that a plain client hears the answer. */
const drainMax = 1024 * 1024;

/** The JSON object of a request's body; an empty one counts as `{}` where it may be left out. */
export async function readBody(
  request: IncomingMessage,
  isOptional: boolean,
): Promise<JsonObject | Refused<ErrorCode>> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (hasBody(request) && !isPlainJson(type, encoding)) return refused("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request);
  if (isRefused(bytes)) return bytes;
  return bytes.length === 0 && isOptional ? {} : readJsonBody(bytes);
}

/** A request's body; the bytes past the limit are not kept. */
async function readBytes(
  request: IncomingMessage,
): Promise<Buffer | Refused<"PAYLOAD_TOO_LARGE" | "REQUEST_TIMEOUT">> {
  if (Number(request.headers["content-length"] ?? 0) > drainMax)
    return refused("PAYLOAD_TOO_LARGE");
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > drainMax) break;
      if (size <= bodyMax) kept.push(chunk as Buffer);
    }
  } catch (error) {
    // The client went away, or the server gave it up and has told it so.
    if (request.errored !== null) return refused("REQUEST_TIMEOUT");
    throw error;
  }
  return size > bodyMax ? refused("PAYLOAD_TOO_LARGE") : Buffer.concat(kept);
}

function hasBody(request: IncomingMessage): boolean {
  const { "transfer-encoding": coding, "content-length": length } = request.headers;
  return coding !== undefined || Number(length ?? 0) > 0;
}
