import type { RouterContext as KoaRouterContext } from "@koa/router";
import type { ParameterizedContext } from "koa";
import type { Caller } from "../domain/key-access.ts";

/** What is known of a request so far; for the access log and the metrics. */
export type RequestState = {
  requestId: string;
  /** Method and path template; `unmatched` until a route is found. */
  route: string;
  caller?: Caller;
};

export type HttpContext = ParameterizedContext<RequestState>;
export type RouterContext = KoaRouterContext<RequestState>;
