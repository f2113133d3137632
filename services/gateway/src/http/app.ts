import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import Router from "@koa/router";
import Koa from "koa";
import type { Answer } from "../domain/answer.ts";
import { headProblem } from "../domain/request-head.ts";
import type { Operation } from "../routes/operation.ts";
import { refusalAnswer } from "./answer.ts";
import type { PageAnswer, PublicRoute } from "./content.ts";
import { failureAnswer } from "./failure.ts";
import { createFileGuard, type FileGuard } from "./file-guard.ts";
import { observe } from "./observe.ts";
import { type OperationalDeps, operationalRoutes } from "./operational.ts";
import { type OperationDeps, serveOperation } from "./serve-operation.ts";
import type { HttpContext, RequestState, RouterContext } from "./state.ts";

export type AppDeps = OperationDeps &
  OperationalDeps & {
    readonly operations: readonly Operation[];
    /** `/docs` and its files. */
    readonly docs: readonly PublicRoute[];
    readonly log: Log;
    readonly metrics: Metrics;
    /** When a request that hangs is given up; past every deadline when left out. */
    readonly answerWithinMs?: number | undefined;
    /** When a file that nobody reads on is given up. */
    readonly stalledMs?: number | undefined;
  };

/** Calls end with the edge's 10 s, slow bodies 1 s later: what is still running then, hangs. */
const answerWithinMsDefault = 12_000;

/** Everything that answers a request that the HTTP parser let through. */
export function createApp(deps: AppDeps): RequestListener {
  const app = new Koa<RequestState>();
  // Whatever happens to a connection after its answer began is the client's affair, not an error.
  app.on("error", (error: unknown) => deps.log.debug({ err: error }, "connection broke off"));
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const guardFile = createFileGuard(deps.log, deps.stalledMs);
  const answerWith = answerRoute(deps.answerWithinMs ?? answerWithinMsDefault, guardFile);
  for (const route of [...operationalRoutes(deps), ...deps.docs]) {
    router.get(route.path, answerWith(`GET ${route.path}`, route.answer));
  }
  for (const operation of deps.operations) {
    const { method, path } = operation;
    router.register(
      path,
      [method],
      [answerWith(`${method} ${path}`, serveOperation(operation, deps))],
    );
  }
  app.use(observe(deps.log, deps.metrics));
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

/** Answers by a route's function, or with 503 when that does not come to an end. */
function answerRoute(withinMs: number, guardFile: FileGuard) {
  return (route: string, answer: (ctx: RouterContext) => Promise<PageAnswer>) =>
    async (ctx: RouterContext): Promise<void> => {
      ctx.state.route = route;
      const late = Promise.withResolvers<PageAnswer>();
      const unavailable = refusalAnswer(refused("SERVICE_UNAVAILABLE"));
      const timer = setTimeout(() => late.resolve(unavailable), withinMs);
      try {
        const answered = await Promise.race([answer(ctx), late.promise]);
        if (answered.body instanceof Readable) guardFile(ctx, answered.body);
        send(ctx, answered);
      } finally {
        clearTimeout(timer);
      }
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
