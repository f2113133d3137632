import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { DescService } from "@bufbuild/protobuf";

/** Time limits for sending clients. */
export type SendingTimes = {
  /** The head of a request, and the settings that begin an HTTP/2 session. */
  readonly headMs: number;
  readonly requestMs: number;
  /** A request that is a stream of messages. */
  readonly streamMs: number;
  /** The rest of a request that was answered early; nothing reads it. */
  readonly answeredMs: number;
  /** The time between two checks of heads, and between two pings of HTTP/2 sessions. */
  readonly checkEveryMs: number;
};

/**
 * A caller gives up after 10 s, so nobody waits for a slower request. A stream is an import of a
 * list: 100 MB take ten minutes over a slow line.
 */
export const sendingTimesDefault: SendingTimes = {
  headMs: 5_000,
  requestMs: 10_000,
  streamMs: 10 * 60_000,
  answeredMs: 1_000,
  checkEveryMs: 3_000,
};

/** Pings that a session may leave unanswered; a reply may be unread while this process stalls. */
const unansweredMax = 2;

type Received = IncomingMessage | Http2ServerRequest;
type Answered = ServerResponse | Http2ServerResponse;

/**
 * Ends requests that are not complete in time: an HTTP/1.1 connection, one stream of an HTTP/2
 * session.
 */
export function limitRequests(services: readonly DescService[], times: SendingTimes) {
  const streamed = clientStreams(services);
  return (request: Received, response: Answered): void => {
    const isStreamed = streamed.has(request.url ?? "");
    const late = setTimeout(breakOff, isStreamed ? times.streamMs : times.requestMs, request);
    late.unref();
    request.once("close", () => clearTimeout(late));
    if (!isStreamed) return;
    response.once("finish", () => setTimeout(breakOff, times.answeredMs, request).unref());
  };
}

/** The paths of the methods that take a stream of messages. */
function clientStreams(services: readonly DescService[]): ReadonlySet<string> {
  const methods = services.flatMap((service) => service.methods);
  const streamed = methods.filter(({ methodKind: kind }) => {
    return kind === "client_streaming" || kind === "bidi_streaming";
  });
  return new Set(streamed.map(({ parent, name }) => `/${parent.typeName}/${name}`));
}

function breakOff(request: Received): void {
  if (request.complete) return;
  if (request instanceof Http2ServerRequest) request.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}

/**
 * Ends HTTP/2 sessions whose clients send half of a frame or of a head and no more. No event
 * reports it, but a client can't reply to a ping before it has sent the rest (RFC 9113 §4.3, §6.7).
 */
export function limitSession(session: ServerHttp2Session, times: SendingTimes): void {
  const silent = setTimeout(() => session.destroy(), times.headMs).unref();
  session.once("remoteSettings", () => clearTimeout(silent));
  let unanswered = 0;
  const asking = setInterval(() => {
    if (unanswered >= unansweredMax) session.destroy();
    if (session.destroyed) return;
    unanswered += 1;
    session.ping((error) => {
      if (error === null) unanswered = 0;
    });
  }, times.checkEveryMs).unref();
  session.once("close", () => {
    clearTimeout(silent);
    clearInterval(asking);
  });
}
