import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import type { Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import Router from "@koa/router";
import Koa from "koa";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Operation } from "../openapi/operation.ts";
import { failureAnswer, type PageAnswer, refusalAnswer } from "./answer.ts";
import { type HttpContext, observe, type RequestState, type RouterContext } from "./observe.ts";
import type { PublicRoute } from "./public-routes.ts";
import { headProblem } from "./rules/request.ts";
import { type OperationDeps, serveOperation } from "./serve-operation.ts";

/** What the app serves, and with what. */
export type AppDeps = OperationDeps & {
  readonly operations: readonly Operation[];
  readonly publicRoutes: readonly PublicRoute[];
  readonly metrics: Metrics;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** When a request that hangs is given up; past every deadline when left out. */
  readonly answerWithinMs?: number | undefined;
  /** When a file whose reader has stopped is given up. */
  readonly stalledMs?: number | undefined;
};

/** Calls end with the edge's 10 s, slow bodies 1 s later: what is still running then, hangs. */
const answerWithinMsDefault = 12_000;
/** A reader that stalls for so long has gone, or holds resources that others need. */
const stalledMsDefault = 60_000;

/** Everything that answers a request that the HTTP parser let through. */
export function createApp(deps: AppDeps): RequestListener {
  const app = new Koa<RequestState>();
  // A connection that breaks after its answer began is no error of ours.
  app.on("error", (error: unknown) => deps.log.debug({ err: error }, "connection broke off"));
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const guardFile = createFileGuard(deps.log, deps.stalledMs);
  const answerWith = answerRoute(deps.answerWithinMs ?? answerWithinMsDefault, guardFile);
  const operations = deps.operations.map((each) => ({
    ...each,
    answer: serveOperation(each, deps),
  }));
  const publicRoutes = deps.publicRoutes.map((each) => ({ ...each, method: "GET" }));
  for (const { method, path, answer } of [...publicRoutes, ...operations]) {
    router.register(path, [method], [answerWith(`${method} ${path}`, answer)]);
  }
  app.use(observe(deps.log, deps.metrics, deps.tracing));
  app.use(async (ctx, next) => {
    try {
      const problem = headProblem({
        target: ctx.req.url ?? "",
        httpVersion: ctx.req.httpVersion,
        rawHeaders: ctx.req.rawHeaders,
      });
      if (problem === undefined) await next();
      else send(ctx, refusalAnswer(problem));
    } catch (error) {
      send(ctx, failureAnswer(error, deps.log));
    }
  });
  app.use(router.routes());
  app.use((ctx) => send(ctx, unmatchedAnswer(ctx, router)));
  return app.callback();
}

/** Answers by a route's function, or with 503 when that hangs. */
function answerRoute(withinMs: number, guardFile: FileGuard) {
  const unavailable = (): PageAnswer => refusalAnswer(refused("SERVICE_UNAVAILABLE"));
  return (route: string, answer: (ctx: RouterContext) => Promise<PageAnswer>) =>
    async (ctx: RouterContext): Promise<void> => {
      ctx.state.route = route;
      const answered = await withTimeout(withinMs, () => answer(ctx), unavailable);
      if (answered.body instanceof Readable) guardFile(ctx, answered.body);
      send(ctx, answered);
    };
}

type FileGuard = (ctx: RouterContext, file: Readable) => void;

/**
 * Breaks off a file that cannot be sent to its end. The connection is reset: no client of any
 * version of HTTP takes that for the end of the file.
 */
function createFileGuard(log: Log, stalledMs = stalledMsDefault): FileGuard {
  return (ctx, file) => {
    const breakOff = () => ctx.req.socket.resetAndDestroy();
    ctx.res.setTimeout(stalledMs, breakOff);
    file.once("error", (error) => {
      // Where the reader has gone, it was not the file that failed.
      if (!ctx.req.socket.destroyed) log.warn({ err: error }, "file broke off");
      breakOff();
    });
  };
}

function send(ctx: HttpContext | RouterContext, { status, headers, body }: PageAnswer): void {
  ctx.status = status;
  ctx.set({ "Content-Type": "application/json; charset=utf-8", ...headers });
  ctx.body = body;
}

/** Before any authentication: no such path, or not with this method. */
function unmatchedAnswer(ctx: HttpContext, router: Router<RequestState>): Answer {
  const layers = router.match(ctx.path, ctx.method).path;
  const methods = [...new Set(layers.flatMap((layer) => layer.methods)), "OPTIONS"].sort();
  if (layers.length === 0 && ctx.method !== "TRACE")
    return refusalAnswer(refused("ROUTE_NOT_FOUND"));
  const headers = { Allow: layers.length === 0 ? "" : methods.join(", ") };
  if (ctx.method === "OPTIONS") return { status: 204, headers, body: "" };
  return refusalAnswer(refused("METHOD_NOT_ALLOWED"), headers);
}
