import type { Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext } from "../call-context.ts";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import { formatTraceparent, traceparentHeader } from "../traceparent.ts";

/** Header with the id of the merchant's request. */
export const requestIdHeader = "x-request-id";

/** Services that probes and load balancers call without a token. */
export const unauthenticatedServices: ReadonlySet<string> = new Set(["grpc.health.v1.Health"]);

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the caller's request id if it is well-formed. Otherwise returns a new one. */
export function requestIdFrom(sent: string | null | undefined): string {
  return isRequestId(sent) ? sent : crypto.randomUUID();
}

/** Returns true if a value is a well-formed request id, which is safe in logs and headers. */
export function isRequestId(sent: unknown): sent is string {
  return typeof sent === "string" && requestIdPattern.test(sent);
}

/** Reads a header of a call by its lower-case name. */
export type ReadHeader = (name: string) => string | null | undefined;

/** Reads the context of a new call, which contains the request id and deadline. */
export function contextOf(header: ReadHeader): CallContext {
  const requestId = requestIdFrom(header(requestIdHeader));
  const remainingMs = header("connect-timeout-ms") ?? undefined;
  const deadlineMs = remainingMs === undefined ? undefined : Date.now() + Number(remainingMs);
  return { requestId, deadlineMs };
}

/** Returns the context headers of an outgoing call, with the current request's id and span. */
export function requestHeaders(): Record<string, string> {
  const context = callContext();
  if (context === undefined) return {};
  const headers: Record<string, string> = { [requestIdHeader]: context.requestId };
  if (context.span !== undefined) headers[traceparentHeader] = formatTraceparent(context.span);
  return headers;
}

/** Adds the client's identity, the current request's id and the span to every call. */
export function sendIdentity(identity: ClientIdentity, to: string): Interceptor {
  return (next) => async (request) => {
    const headers = { ...requestHeaders(), authorization: await identity(to) };
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
    return next(request);
  };
}
