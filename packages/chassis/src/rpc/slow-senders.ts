import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { DescService } from "@bufbuild/protobuf";

/** How long a client may take to send. */
export type SendingTimes = {
  /** The head of a request, and the settings that begin an HTTP/2 session. */
  readonly headMs: number;
  /** A whole request. */
  readonly requestMs: number;
  /** A request that is a stream of messages. */
  readonly streamMs: number;
  /** What follows an answer that was given before its request had ended; none reads it. */
  readonly answeredMs: number;
  /** How often heads are looked at, and HTTP/2 sessions asked for a sign of life. */
  readonly checkEveryMs: number;
};

/**
 * A caller gives up after 10 s, so a request that is not there by then is for no one. A stream is
 * an import of a list: 100 MB come over a slow line in ten minutes.
 */
export const sendingTimesDefault: SendingTimes = {
  headMs: 5_000,
  requestMs: 10_000,
  streamMs: 10 * 60_000,
  answeredMs: 1_000,
  checkEveryMs: 3_000,
};

/** Pings that a session may leave unanswered; one may have been answered while we stood still. */
const unansweredMax = 2;

/** Any request of HTTP/1.1 or HTTP/2, and its answer. */
type Received = IncomingMessage | Http2ServerRequest;
type Answered = ServerResponse | Http2ServerResponse;

/**
 * Ends requests that are not there whole in time: an HTTP/1.1 connection, one stream of an HTTP/2
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
 * Ends HTTP/2 sessions whose clients send half of a frame or of a head and no more. No event says
 * so; but a client cannot answer a ping before it has sent what it began (RFC 9113 §4.3, §6.7).
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
