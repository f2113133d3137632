import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { DescService } from "@bufbuild/protobuf";

/** Time limits for clients that send requests. */
export type SendingTimes = {
  /**
   * The time limit for the head of a request, and for the settings at the start of an HTTP/2
   * session.
   */
  readonly headMs: number;
  readonly requestMs: number;
  /** The time limit for a request that is a stream of messages. */
  readonly streamMs: number;
  /**
   * The time limit for the rest of a request that already has its response. Nothing reads that
   * rest.
   */
  readonly answeredMs: number;
  /** The interval between two checks for slow request headers, and between two HTTP/2 pings. */
  readonly checkEveryMs: number;
};

/**
 * A caller gives up after 10 s, so no one waits for a slower unary request. A stream imports a
 * list. 100 MB take ten minutes over a slow line.
 */
export const sendingTimesDefault: SendingTimes = {
  headMs: 5_000,
  requestMs: 10_000,
  streamMs: 10 * 60_000,
  answeredMs: 1_000,
  checkEveryMs: 3_000,
};

/**
 * The number of pings that a session may leave unanswered. A reply may be unread while this process
 * is blocked.
 */
const unansweredMax = 2;

type Received = IncomingMessage | Http2ServerRequest;
type Answered = ServerResponse | Http2ServerResponse;

/**
 * Ends requests that are not complete in time. For HTTP/1.1 the connection is closed, for HTTP/2
 * only the stream.
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

/** Returns the paths of the methods that take a stream of messages. */
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
 * Closes an HTTP/2 session if its client sends only a part of a frame or head. No event reports
 * this. However, the client can't reply to a ping before it has sent the rest (RFC 9113 §4.3,
 * §6.7).
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
