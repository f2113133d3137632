import type { DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { callContext } from "../call-context.ts";
import { traceCalls } from "../tracing/rpc-spans.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { identityHeaders, sendIdentity } from "./identity.ts";
import { createUnaryTransport, unavailable } from "./unary-transport.ts";

/** A write may wait for a fsync on every member; background work has no deadline of its own. */
const timeoutDefaultMs = 5_000;
/** Reserved of the remaining time for the answer of this hop. */
const hopMs = 50;

/** Identity and time limit of a client's calls. */
export type ServiceClientOptions = {
  /** Name of the calling service. */
  readonly caller: string;
  readonly serviceToken: string;
  readonly timeoutMs?: number;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** A client and its connection, which all calls share. */
export type ServiceClient<S extends DescService> = ReturnType<typeof connectService<S>>;

/** A typed client that sends identity, request id and deadline; no answer is `UNAVAILABLE`. */
export function connectService<S extends DescService>(
  service: S,
  url: string,
  options: ServiceClientOptions,
) {
  const { caller, serviceToken, timeoutMs = timeoutDefaultMs, tracing } = options;
  const calls = createUnaryTransport(url, identityHeaders(caller, serviceToken));
  const streams = streamTransport(url, sendIdentity(caller, serviceToken));
  const transport = { unary: calls.unary, stream: streams.stream };
  const traced = tracing === undefined ? transport : traceCalls(transport, tracing);
  return {
    rpc: createClient(service, withinDeadline(traced, timeoutMs)),
    close: () => {
      calls.close();
      streams.close();
    },
  };
}

/** Limits each call to the remaining time of its request, and to `timeoutMs`. */
function withinDeadline(transport: Transport, timeoutMs: number): Transport {
  const remaining = (requested: number | undefined) => {
    const deadlineMs = callContext()?.deadlineMs;
    if (deadlineMs === undefined) return requested ?? timeoutMs;
    const remainingMs = Math.floor(deadlineMs - Date.now() - hopMs);
    if (remainingMs <= 0) throw new ConnectError("no time is left", Code.DeadlineExceeded);
    return Math.min(remainingMs, requested ?? timeoutMs);
  };
  return {
    unary: async (method, signal, timeout, ...rest) =>
      transport.unary(method, signal, remaining(timeout), ...rest),
    stream: async (method, signal, timeout, ...rest) =>
      transport.stream(method, signal, remaining(timeout), ...rest),
  };
}

/** An idle connection is closed after this. */
const idleTimeoutMs = 60_000;
/** How often a running stream's connection, or one idle so long, is checked. */
const pingEveryMs = 10_000;
/** A connection whose peer does not answer a ping in this time is given up. */
const pingTimeoutMs = 5_000;

/** Streams, which are few, go over HTTP/2; it connects on the first call. */
function streamTransport(url: string, identity: Interceptor) {
  const sessionManager = new Http2SessionManager(url, {
    idleConnectionTimeoutMs: idleTimeoutMs,
    pingIntervalMs: pingEveryMs,
    pingTimeoutMs,
  });
  const { stream } = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    useBinaryFormat: true,
    sessionManager,
    interceptors: [brokenConnectionIsUnavailable, identity],
  });
  return { stream, close: () => sessionManager.abort() };
}

/** An error of the service carries response headers; a network error has none. */
const brokenConnectionIsUnavailable: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    const { code, metadata } = ConnectError.from(error);
    const isAnswered = metadata.entries().next().done !== true;
    throw isAnswered || code === Code.DeadlineExceeded ? error : unavailable(error);
  }
};
