import { PassThrough } from "node:stream";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import type { Shares } from "../http/shares.ts";
import type { PublicRoute } from "../http/static.ts";
import type { MemberSessions } from "../sessions/members.ts";
import { consolePath } from "../sessions/rules/session.ts";
import type { Feeds } from "./feed.ts";

export type EventDeps = {
  readonly sessions: MemberSessions;
  readonly feeds: Feeds;
  readonly streams: Shares;
  /** All streams end when this signal aborts. */
  readonly draining?: AbortSignal | undefined;
  readonly checkEveryMs?: number | undefined;
};

/**
 * Interval between session checks. A stream can stay open this long after its session has ended.
 */
const checkEveryMsDefault = 2_000;
/** Interval between heartbeats. Common proxies close idle connections only after a longer time. */
const heartbeatMs = 15_000;
/**
 * Maximum duration of a stream. The app cuts off responses after an hour, so a stream ends earlier.
 * The browser then reconnects by itself.
 */
const wholeMs = 50 * 60_000;

/**
 * Serves server-sent events for the session's merchant. Each event has only ids. The browser
 * reloads its page when it reconnects, so no event is sent twice.
 */
export function eventRoute(deps: EventDeps): PublicRoute {
  const { sessions, streams, draining } = deps;
  const open = new Set<PassThrough>();
  draining?.addEventListener("abort", () => {
    for (const stream of open) stream.end();
  });
  return {
    path: `${consolePath}events`,
    answer: async (ctx: RouterContext): Promise<PageAnswer> => {
      const token = sessions.tokenOf(ctx.req);
      const found = token === undefined ? undefined : await sessions.find(token);
      if (token === undefined || found === undefined) {
        return refusalAnswer(refused("UNAUTHENTICATED", "Sign in."));
      }
      const { _id: id, merchant_id: merchantId } = found.member;
      const excess = streams.begin({ merchantId, actor: { id } }, ctx);
      if (excess !== undefined) return refusalAnswer(excess);
      const body = startStream({ ...deps, token, merchantId });
      open.add(body);
      body.once("close", () => open.delete(body));
      // A buffering proxy would delay the events.
      const headers = { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" };
      return { status: 200, headers, body };
    },
  };
}

function startStream({
  sessions,
  feeds,
  checkEveryMs = checkEveryMsDefault,
  token,
  merchantId,
}: EventDeps & {
  readonly token: string;
  readonly merchantId: string;
}): PassThrough {
  const stream = new PassThrough();
  const write = (text: string) => {
    if (stream.writable) stream.write(text);
  };
  let heartbeat: NodeJS.Timeout | undefined;
  // The page reloads when its connection opens, so it misses no event after that.
  const begun = () => {
    if (!stream.writable) return;
    write(": connected\n\n");
    heartbeat = setInterval(() => write(": alive\n\n"), heartbeatMs);
  };
  const unfollow = feeds.follow(
    merchantId,
    ({ kind, id }) => write(`event: ${kind}\ndata: ${JSON.stringify({ id })}\n\n`),
    begun,
  );
  // The stream outlives the deadline of its request, so each check has a deadline of its own.
  const isGood = () => {
    const context = { requestId: crypto.randomUUID(), deadlineMs: Date.now() + checkEveryMs };
    return withCallContext(context, () => sessions.isGood(token));
  };
  const check = setInterval(() => {
    isGood().then(
      (isStillGood) => {
        if (!isStillGood) end();
      },
      // An unavailable database does not mean that the session has ended.
      () => undefined,
    );
  }, checkEveryMs);
  const end = () => void stream.end();
  const late = setTimeout(end, wholeMs);
  // Koa destroys the stream when its response ends.
  stream.once("close", () => {
    unfollow();
    clearInterval(heartbeat);
    clearInterval(check);
    clearTimeout(late);
  });
  return stream;
}
