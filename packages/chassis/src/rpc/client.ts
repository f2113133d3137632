import type { DescService } from "@bufbuild/protobuf";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { callContext } from "../call-context.ts";
import { sendIdentity } from "./identity.ts";
import { renewableSessions, type Sessions } from "./sessions.ts";

/** A write may wait for a fsync on every member; background work has no merchant's deadline. */
const timeoutDefaultMs = 5_000;
/** What a hop keeps of the remaining time for its own answer. */
const hopMs = 50;

export type ServiceClientOptions = {
  /** Name of the calling service. */
  readonly caller: string;
  readonly serviceToken: string;
  readonly timeoutMs?: number;
};

/** A client with a lifetime: the connection is shared by all calls and closed once. */
export type ServiceClient<S extends DescService> = {
  readonly rpc: Client<S>;
  close(): void;
};

/**
 * A typed client of another service. Calls carry identity, request id and the remaining deadline;
 * a broken connection is `UNAVAILABLE`, whatever broke it.
 */
export function connectService<S extends DescService>(
  service: S,
  url: string,
  options: ServiceClientOptions,
): ServiceClient<S> {
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

/** Gives each call the time that is left of its request, at most `timeoutMs`. */
function withinDeadline(transport: Transport, timeoutMs: number): Transport {
  const left = (asked: number | undefined) => {
    const deadlineMs = callContext()?.deadlineMs;
    if (deadlineMs === undefined) return asked ?? timeoutMs;
    const remainingMs = Math.floor(deadlineMs - Date.now() - hopMs);
    if (remainingMs <= 0) throw new ConnectError("no time is left", Code.DeadlineExceeded);
    return Math.min(remainingMs, asked ?? timeoutMs);
  };
  return {
    unary: async (method, signal, asked, header, input, values) =>
      transport.unary(method, signal, left(asked), header, input, values),
    stream: async (method, signal, asked, header, input, values) =>
      transport.stream(method, signal, left(asked), header, input, values),
  };
}

/**
 * A reset, closed or refused connection says nothing of the call's effect: it is `UNAVAILABLE`
 * here. An error that the service answered with carries its response headers; one of the network
 * has none. A call whose time ran out without a word may have been sent to a peer that is gone: the
 * next one gets a connection of its own.
 */
function brokenConnectionIsUnavailable(sessions: Sessions): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const known = ConnectError.from(error);
      const isAnswered = known.metadata.entries().next().done !== true;
      if (isAnswered) throw error;
      if (known.code !== Code.DeadlineExceeded) throw unavailable(error);
      sessions.renew();
      throw error;
    }
  };
}

function unavailable(cause: unknown): ConnectError {
  return new ConnectError("the service does not answer", Code.Unavailable, undefined, [], cause);
}
