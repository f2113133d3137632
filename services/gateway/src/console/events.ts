import { PassThrough } from "node:stream";
import { refused } from "@disburse/kernel/refusal.ts";
import { type PageAnswer, refusalAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import type { Shares } from "../http/shares.ts";
import type { PublicRoute } from "../http/static.ts";
import type { MemberSessions } from "../sessions/members.ts";
import { consolePath } from "../sessions/rules/session.ts";
import type { Feeds } from "./feed.ts";

/** What events are served with. */
export type EventDeps = {
  readonly sessions: MemberSessions;
  readonly feeds: Feeds;
  readonly streams: Shares;
  /** Aborted when streams are to end. */
  readonly draining?: AbortSignal | undefined;
  readonly checkEveryMs?: number | undefined;
};

/** How often a session is looked at: one that was ended follows nothing for longer. */
const checkEveryMsDefault = 2_000;
/** Sooner than any proxy lets a connection go that is silent. */
const heartbeatMs = 15_000;
/** A browser connects again by itself; a stream of an hour is broken off as files are. */
const wholeMs = 50 * 60_000;

/**
 * What happens at the merchant of a session, as server-sent events of ids alone. A browser that
 * connects again reads anew what it shows, so none is repeated.
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
      // A proxy that gathers an answer would hold the events back.
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
  // A page reads anew when its connection opens: from then on it misses nothing.
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
  const check = setInterval(() => {
    sessions.isGood(token).then(
      (isGood) => {
        if (!isGood) end();
      },
      // A database that does not answer says nothing of the session.
      () => undefined,
    );
  }, checkEveryMs);
  const end = () => void stream.end();
  const late = setTimeout(end, wholeMs);
  // Koa destroys the stream with its answer.
  stream.once("close", () => {
    unfollow();
    clearInterval(heartbeat);
    clearInterval(check);
    clearTimeout(late);
  });
  return stream;
}
