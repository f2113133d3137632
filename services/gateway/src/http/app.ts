import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import Router from "@koa/router";
import Koa from "koa";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Route } from "../openapi/route.ts";
import { failureAnswer, type PageAnswer, refusalAnswer } from "./answer.ts";
import { answerUnread, leavesBody } from "./body.ts";
import type { HttpContext, Observe, RequestState, RouterContext } from "./observe.ts";
import { errorCodeOf, headProblem, recordIdOf } from "./rules/request.ts";
import { type RouteDeps, serveRoute } from "./serve-route.ts";
import type { PublicRoute } from "./static.ts";
import type { UnauthenticatedClients } from "./unauthenticated-clients.ts";

/**
 * Maximum time without progress in sending a file. A reader that stalls longer has disconnected or
 * blocks resources that other requests need.
 */
const stalledMsDefault = 60_000;
/**
 * Maximum time for sending a file. A statement of ten million lines takes a quarter of this. Slower
 * readers would hold a connection too long.
 */
const wholeMsDefault = 60 * 60_000;

type FileTimes = {
  /** Maximum time in which a reader accepts no bytes. */
  readonly stalledMs?: number | undefined;
  readonly wholeMs?: number | undefined;
};

/** Aborts the response if the file cannot be sent completely. */
type FileGuard = (ctx: RouterContext, file: Readable) => void;

export type AppDeps = RouteDeps & {
  readonly routes: readonly Route[];
  readonly publicRoutes: readonly PublicRoute[];
  readonly observe: Observe;
  /**
   * Time after which the app aborts a request without a response. The default is longer than the
   * deadline of every RPC.
   */
  readonly answerWithinMs?: number | undefined;
  readonly fileTimes?: FileTimes | undefined;
};

/**
 * Calls to services and commands to the database end after 10 s, and slow bodies 1 s later. A request that still runs after 12 s
 * hangs.
 */
const answerWithinMsDefault = 12_000;

/** Creates the listener for every request that the HTTP parser accepts. */
export function createApp(deps: AppDeps): RequestListener {
  const app = new Koa<RequestState>();
  // If the connection breaks during a response, the gateway has made no error.
  app.on("error", (error: unknown) =>
    deps.log.debug({ err: error }, "the connection closed before the response was complete"),
  );
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const guardFile = createFileGuard(deps.log, deps.fileTimes ?? {});
  const { answerWithinMs = answerWithinMsDefault } = deps;
  const routes = deps.routes.map((each) => ({
    ...each,
    answer: serveRoute(each, deps),
  }));
  const publicRoutes = deps.publicRoutes.map((each) => ({
    ...each,
    method: each.method ?? "GET",
    answer:
      each.isProbe === true
        ? each.answer
        : answerUnauthenticated(deps.unauthenticated, each.answer),
  }));
  for (const { method, path, answer, ...own } of [...publicRoutes, ...routes]) {
    const within = ("answerWithinMs" in own ? own.answerWithinMs : undefined) ?? answerWithinMs;
    const answerWith = answerRoute(within, guardFile);
    router.register(path, [method], [answerWith(`${method} ${path}`, answer)]);
  }
  app.use(deps.observe);
  app.use(async (ctx, next) => {
    try {
      const problem = headProblem({
        target: ctx.req.url ?? "",
        httpVersion: ctx.req.httpVersion,
        rawHeaders: ctx.req.rawHeaders,
      });
      if (problem === undefined) await next();
      else send(ctx, refusalAnswer(excessOf(ctx, deps.unauthenticated) ?? problem));
    } catch (error) {
      send(ctx, failureAnswer(error, deps.log));
    }
  });
  app.use(router.routes());
  app.use((ctx) => {
    const excess = excessOf(ctx, deps.unauthenticated);
    send(ctx, excess === undefined ? unmatchedAnswer(ctx, router) : refusalAnswer(excess));
  });
  return app.callback();
}

/** Counts an unauthenticated request. Returns a refusal if the sender has made too many. */
function excessOf({ req }: HttpContext | RouterContext, unauthenticated: UnauthenticatedClients) {
  return unauthenticated.count(unauthenticated.originOf(req));
}

/** Serves a public route with a rate limit per sender. */
function answerUnauthenticated(
  unauthenticated: UnauthenticatedClients,
  answer: PublicRoute["answer"],
) {
  return async (ctx: RouterContext): Promise<PageAnswer> => {
    const excess = excessOf(ctx, unauthenticated);
    return excess === undefined ? answer(ctx) : refusalAnswer(excess);
  };
}

/** Runs a route's function and sends its response. Sends 503 if the function hangs. */
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

function send(ctx: HttpContext | RouterContext, { status, headers, body }: PageAnswer): void {
  if (ctx.state.caller !== undefined) {
    const params: Readonly<Record<string, string>> = "params" in ctx ? ctx.params : {};
    ctx.state.code = errorCodeOf(status, body);
    ctx.state.recordId = recordIdOf(body, Object.values(params));
  }
  ctx.status = status;
  ctx.set({ "Content-Type": "application/json; charset=utf-8", ...headers });
  const isLeft = leavesBody(ctx.req);
  if (isLeft && !(body instanceof Readable)) {
    answerUnread(ctx, body);
    return;
  }
  if (isLeft) ctx.set("Connection", "close");
  ctx.body = body;
}

/**
 * Answers a request with an unknown path or an unsupported method. This needs no authentication.
 */
function unmatchedAnswer(ctx: HttpContext, router: Router<RequestState>): Answer {
  const layers = router.match(ctx.path, ctx.method).path;
  const methods = [...new Set(layers.flatMap((layer) => layer.methods)), "OPTIONS"].sort();
  if (layers.length === 0 && ctx.method !== "TRACE")
    return refusalAnswer(refused("ROUTE_NOT_FOUND"));
  const headers = { Allow: layers.length === 0 ? "" : methods.join(", ") };
  if (ctx.method === "OPTIONS") return { status: 204, headers, body: "" };
  return refusalAnswer(refused("METHOD_NOT_ALLOWED"), headers);
}

/**
 * Resets the connection if a file cannot be sent completely. After a reset, no HTTP client takes
 * the file for complete.
 */
function createFileGuard(log: Log, times: FileTimes): FileGuard {
  const { stalledMs = stalledMsDefault, wholeMs = wholeMsDefault } = times;
  return (ctx, file) => {
    const breakOff = () => ctx.req.socket.resetAndDestroy();
    ctx.res.setTimeout(stalledMs, breakOff);
    const late = setTimeout(breakOff, wholeMs).unref();
    ctx.res.once("close", () => clearTimeout(late));
    file.once("error", (error) => {
      // If the socket is destroyed, the reader has disconnected and the file itself did not fail.
      if (!ctx.req.socket.destroyed)
        log.warn({ err: error }, "download aborted: reading its records failed");
      breakOff();
    });
  };
}
