import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import { requestIdFrom } from "@disburse/chassis/rpc/identity.ts";
import type { RouterContext as KoaRouterContext } from "@koa/router";
import type { ParameterizedContext } from "koa";
import type { Caller } from "../keys/rules/api-key.ts";
import { headerValues } from "./rules/request.ts";

/** What is known of a request so far; for the access log and the metrics. */
export type RequestState = {
  requestId: string;
  /** Method and path template; `unmatched` until a route is found. */
  route: string;
  caller?: Caller;
};

/** A request on its way, and its answer. */
export type HttpContext = ParameterizedContext<RequestState>;
/** The same once its route is found. */
export type RouterContext = KoaRouterContext<RequestState>;

/** What a merchant waits at most; services get what is left of it (reliability: deadlines). */
const deadlineMs = 10_000;

/** On every answer: no cache keeps amounts and names, and JSON is not sniffed as another type. */
export const securityHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * The outermost part: gives a request its id and deadline, and writes one line about it when it
 * ends.
 */
export function observe(log: Log, metrics: Metrics) {
  const duration = metrics.histogram(
    "disburse_http_request_duration_seconds",
    "Time of an answered request, by route and status.",
    ["route", "status"],
    durationBuckets,
  );
  return async (ctx: HttpContext, next: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    const requestId = requestIdFrom(headerValues(ctx.req.rawHeaders, "x-request-id").join(","));
    ctx.state.requestId = requestId;
    ctx.state.route = "unmatched";
    ctx.set({ "X-Request-Id": requestId, ...securityHeaders });
    const context = { requestId, deadlineMs: Date.now() + deadlineMs };
    ctx.res.once("close", () => {
      const durationMs = performance.now() - started;
      const { route, caller } = ctx.state;
      // A caller who disconnected before the answer began has received no status.
      const status = ctx.res.headersSent ? ctx.res.statusCode : 0;
      duration.observe({ route, status: String(status) }, durationMs / 1_000);
      const ids = { merchant_id: caller?.merchantId, key_id: caller?.keyId };
      const fields = { ...ids, route, status, duration_ms: Math.round(durationMs) };
      withCallContext(context, () => log.info(fields, "request"));
    });
    await withCallContext(context, next);
  };
}
