import { timingSafeEqual } from "node:crypto";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext } from "../call-context.ts";
import { formatTraceparent, traceparentHeader } from "../tracing/traceparent.ts";

/** Header with the calling service's name; the token authenticates the deployment. */
export const callerHeader = "x-disburse-caller";
/** Header with the id of the merchant's request that a call serves. */
export const requestIdHeader = "x-request-id";

/** Services that probes and load balancers call without a token. */
export const unauthenticatedServices: ReadonlySet<string> = new Set(["grpc.health.v1.Health"]);

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request id that a caller sent where it is well-formed, else a new one. */
export function requestIdFrom(sent: string | null | undefined): string {
  return isRequestId(sent) ? sent : crypto.randomUUID();
}

/** Whether a value is a well-formed request id, safe in logs and headers. */
export function isRequestId(sent: unknown): sent is string {
  return typeof sent === "string" && requestIdPattern.test(sent);
}

/** A header of a call by its lower-case name. */
export type ReadHeader = (name: string) => string | null | undefined;

/** Refuses calls without the deployment's token; answers the caller's request id and deadline. */
export function acceptIdentity(serviceToken: string) {
  const expected = Buffer.from(`Bearer ${serviceToken}`);
  return (service: string, header: ReadHeader): CallContext => {
    if (!unauthenticatedServices.has(service)) {
      const sent = Buffer.from(header("authorization") ?? "");
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
        throw new ConnectError("the service token is missing or wrong", Code.Unauthenticated);
      }
      if ((header(callerHeader) ?? "") === "") {
        throw new ConnectError(`the header ${callerHeader} is missing`, Code.Unauthenticated);
      }
    }
    const requestId = requestIdFrom(header(requestIdHeader));
    const remainingMs = header("connect-timeout-ms") ?? undefined;
    const deadlineMs = remainingMs === undefined ? undefined : Date.now() + Number(remainingMs);
    return { requestId, deadlineMs };
  };
}

/** The headers of the next call: the service's identity, the running request's id and span. */
export function identityHeaders(caller: string, serviceToken: string) {
  const authorization = `Bearer ${serviceToken}`;
  return (): Record<string, string> => {
    const headers: Record<string, string> = { authorization, [callerHeader]: caller };
    const context = callContext();
    if (context === undefined) return headers;
    headers[requestIdHeader] = context.requestId;
    if (context.span !== undefined) headers[traceparentHeader] = formatTraceparent(context.span);
    return headers;
  };
}

/** Sends the service's identity, the running request's id and span with every call. */
export function sendIdentity(caller: string, serviceToken: string): Interceptor {
  const identity = identityHeaders(caller, serviceToken);
  return (next) => (request) => {
    for (const [name, value] of Object.entries(identity())) request.header.set(name, value);
    return next(request);
  };
}
