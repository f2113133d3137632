import { DisburseError, type ErrorDetails } from "./disburse-error.ts";
import { isObject, parseExactJson } from "./exact-json.ts";

type Sent = Pick<ErrorDetails, "requestId" | "idempotencyKey">;

/** What an answer says: the data of a success, or why there is none. */
export function readAnswer(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  { requestId, idempotencyKey }: Sent,
): { readonly data: unknown } | DisburseError {
  const body = jsonOf(text);
  if (status === 200 && isObject(body) && "data" in body) return { data: body.data };
  const known = {
    status,
    requestId: headers.get("x-request-id") ?? requestId,
    idempotencyKey,
    retryAfterSeconds: retryAfterSeconds(headers),
  };
  if (status >= 400 && isObject(body)) {
    const { code, message } = body;
    if (typeof code === "string" && typeof message === "string") {
      return new DisburseError({ kind: "refused", code, message, ...known });
    }
  }
  // Whose text it is nobody knows, so it stands in no message.
  const message = `An answer with status ${status} is not the platform's.`;
  return new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, ...known });
}

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // No JSON, or nested deeper than a stack can be: either way not the platform's.
    return undefined;
  }
}

/** The platform tells seconds; a proxy may tell a date, which is left to our own waits. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const told = headers.get("retry-after")?.trim() ?? "";
  return /^\d{1,9}$/.test(told) ? Number(told) : undefined;
}
