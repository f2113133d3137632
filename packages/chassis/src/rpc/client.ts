import type { ClientHttp2Stream } from "node:http2";
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
import { sendIdentity } from "./identity.ts";

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
};

/** A client and its connection, which all calls share. */
export type ServiceClient<S extends DescService> = ReturnType<typeof connectService<S>>;

/** A typed client that sends identity, request id and deadline; no answer is `UNAVAILABLE`. */
export function connectService<S extends DescService>(
  service: S,
  url: string,
  options: ServiceClientOptions,
) {
  const sessions = renewableSessions(url);
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "2",
    useBinaryFormat: true,
    sessionManager: sessions,
    interceptors: [
      brokenConnectionIsUnavailable(sessions),
      sendIdentity(options.caller, options.serviceToken),
    ],
  });
  const timeoutMs = options.timeoutMs ?? timeoutDefaultMs;
  return {
    rpc: createClient(service, withinDeadline(transport, timeoutMs)),
    close: () => sessions.abort(),
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

/**
 * After a reset, closed or refused connection the call's effect is unknown: `UNAVAILABLE`. An error
 * of the service carries response headers; a network error has none. After a call that timed out
 * without any answer the next one gets a new connection: the peer may be gone.
 */
function brokenConnectionIsUnavailable(sessions: Sessions): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const { code, metadata } = ConnectError.from(error);
      const isAnswered = metadata.entries().next().done !== true;
      if (isAnswered) throw error;
      if (code !== Code.DeadlineExceeded) throw unavailable(error);
      sessions.renew();
      throw error;
    }
  };
}

function unavailable(cause: unknown): ConnectError {
  return new ConnectError("the service does not answer", Code.Unavailable, undefined, [], cause);
}

/** An idle connection is closed after this. */
const idleTimeoutMs = 60_000;
/** Bounds the connections to a slow service: one more in this time at most. */
const renewEveryMs = 2_000;
/** Running calls on a replaced connection have this long to end. */
const retiredMs = 60_000;

/** A connection to a service that can be replaced while calls run on it. */
type Sessions = ReturnType<typeof renewableSessions>;

/** Connects on the first call. */
function renewableSessions(url: string) {
  const open = () => new Http2SessionManager(url, { idleConnectionTimeoutMs: idleTimeoutMs });
  let current = open();
  let renewedAt = 0;
  const retired = new Set<Http2SessionManager>();
  return {
    authority: current.authority,
    request: (...call: Parameters<Http2SessionManager["request"]>) => current.request(...call),
    notifyResponseByteRead: (stream: ClientHttp2Stream) => {
      for (const sessions of [current, ...retired]) sessions.notifyResponseByteRead(stream);
    },
    /** Gives new calls a new connection: the peer of the present one may be gone. */
    renew: () => {
      const now = performance.now();
      if (renewedAt !== 0 && now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      setTimeout(() => {
        retired.delete(old);
        old.abort();
      }, retiredMs).unref();
    },
    abort: () => {
      for (const sessions of [current, ...retired]) sessions.abort();
    },
  };
}
