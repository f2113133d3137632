import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import { requestIdFrom } from "@disburse/chassis/rpc/identity.ts";
import { traceparentHeader } from "@disburse/chassis/traceparent.ts";
import type { Span, Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { RouterContext as KoaRouterContext } from "@koa/router";
import type { ParameterizedContext } from "koa";
import type { Caller } from "../keys/rules/api-key.ts";
import { headerValues } from "./rules/request.ts";

/** Request data for the access log and the metrics. */
export type RequestState = {
  requestId: string;
  /** Method and path template. The value is `unmatched` until a route is found. */
  route: string;
  caller?: Caller;
  code?: string | undefined;
  recordId?: string | undefined;
};

/** Adds a completed request to the merchant's request log. */
export type NoteRequest = (
  caller: Caller,
  request: {
    readonly request_id: string;
    readonly route: string;
    readonly status: number;
    readonly duration_ms: number;
    readonly code?: string;
    readonly record_id?: string;
  },
) => void;

export type HttpContext = ParameterizedContext<RequestState>;
/** The request context with the parameters of its route. */
export type RouterContext = KoaRouterContext<RequestState>;

/**
 * Maximum response time for a merchant. Calls to services and commands to the database get the
 * remaining time as their deadline (reliability: deadlines).
 */
const deadlineMs = 10_000;

/**
 * Headers of every response. Caches must not store amounts and names, and browsers must not
 * interpret JSON as another type.
 */
export const securityHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

type ObserveDeps = {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing?: Tracing | undefined;
  readonly note: NoteRequest;
};

/** One instance serves all ports of a process. */
export type Observe = ReturnType<typeof observe>;

/**
 * Creates the outermost middleware. It gives each request an id, a deadline and a span. It logs one
 * line when the request ends.
 */
export function observe({ log, metrics, tracing, note }: ObserveDeps) {
  const duration = metrics.histogram(
    "disburse_http_request_duration_seconds",
    "Duration of HTTP requests in seconds, by route and status.",
    ["route", "status"],
    durationBuckets,
  );
  return async (ctx: HttpContext, next: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    const requestId = requestIdFrom(headerValues(ctx.req.rawHeaders, "x-request-id").join(","));
    ctx.state.requestId = requestId;
    ctx.state.route = "unmatched";
    ctx.set({ "X-Request-Id": requestId, ...securityHeaders });
    const span = tracing && startSpan(tracing, ctx, requestId);
    const context = { requestId, deadlineMs: Date.now() + deadlineMs, span: span?.context };
    ctx.res.once("close", () => {
      const durationMs = performance.now() - started;
      const { route, caller, code, recordId } = ctx.state;
      // If the caller disconnected before the response began, no status was sent.
      const status = ctx.res.headersSent ? ctx.res.statusCode : 0;
      duration.observe({ route, status: String(status) }, durationMs / 1_000);
      const ids = caller && {
        merchant_id: caller.merchantId,
        [caller.actor.kind === "member" ? "member_id" : "key_id"]: caller.actor.id,
      };
      const known = { route, status, duration_ms: Math.round(durationMs) };
      const about = { ...(code && { code }), ...(recordId && { record_id: recordId }) };
      const fields = { ...ids, ...known, ...about };
      withCallContext(context, () => log.info(fields, "request"));
      if (caller !== undefined) {
        note(caller, { request_id: requestId, ...known, ...about });
      }
      if (span !== undefined) endSpan(span, ctx, status);
    });
    await withCallContext(context, next);
  };
}

/** Only requests to the API have spans. Pages and probes have none. */
const tracedPath = "/api/";

/**
 * Starts the span without a name. It gets its name when the route is known, because the raw path
 * may contain anything.
 */
function startSpan(tracing: Tracing, ctx: HttpContext, requestId: string): Span | undefined {
  if (!ctx.path.startsWith(tracedPath)) return undefined;
  const sent = headerValues(ctx.req.rawHeaders, traceparentHeader).join(",");
  const attributes = { "disburse.request_id": requestId };
  return tracing.startRequest({ kind: "server", name: "HTTP", attributes }, sent);
}

function endSpan(span: Span, { state, method }: HttpContext, status: number): void {
  const { route, caller } = state;
  const [, template = ""] = route.split(" ");
  const isKnown = template !== "";
  span.end({
    ...(isKnown && { name: route }),
    attributes: {
      "http.request.method": isKnown ? method : "_OTHER",
      "http.response.status_code": status,
      ...(isKnown && { "http.route": template }),
      ...(caller && { "disburse.merchant_id": caller.merchantId }),
    },
    ...(status >= firstFault && { error: String(status) }),
  });
}

/** First status that counts as a server error. Lower statuses are errors of the caller. */
const firstFault = 500;
