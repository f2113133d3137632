import { timingSafeEqual } from "node:crypto";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { callContext, withCallContext } from "../call-context.ts";

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

/** Refuses calls without the deployment's token; adopts the caller's request id and deadline. */
export function acceptIdentity(serviceToken: string): Interceptor {
  const expected = Buffer.from(`Bearer ${serviceToken}`);
  return (next) => (request) => {
    if (!unauthenticatedServices.has(request.service.typeName)) {
      const sent = Buffer.from(request.header.get("authorization") ?? "");
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
        throw new ConnectError("the service token is missing or wrong", Code.Unauthenticated);
      }
      if ((request.header.get(callerHeader) ?? "") === "") {
        throw new ConnectError(`the header ${callerHeader} is missing`, Code.Unauthenticated);
      }
    }
    const requestId = requestIdFrom(request.header.get(requestIdHeader));
    const remainingMs = request.header.get("connect-timeout-ms");
    const deadlineMs = remainingMs === null ? undefined : Date.now() + Number(remainingMs);
    return withCallContext({ requestId, deadlineMs }, () => next(request));
  };
}

/** Sends the service's identity and the running request's id with every call. */
export function sendIdentity(caller: string, serviceToken: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${serviceToken}`);
    request.header.set(callerHeader, caller);
    const context = callContext();
    if (context !== undefined) request.header.set(requestIdHeader, context.requestId);
    return next(request);
  };
}
