import type { LookupFunction } from "node:net";
import { connect as connectTls } from "node:tls";
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
import { clientTls, type Tls } from "../identity/certificates.ts";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { Address } from "./balancing/addresses.ts";
import type { Securing } from "./balancing/connecting.ts";
import { createEndpoints, type Endpoints } from "./balancing/endpoints.ts";
import { type ObserveClients, unobserved } from "./balancing/observe.ts";
import { sendIdentity } from "./identity.ts";
import { traceCalls } from "./spans.ts";
import { createUnaryTransport } from "./unary-transport.ts";
import { unavailable } from "./unavailable.ts";

/**
 * The default time limit of a call. A write may wait until every member has synced to disk.
 * Background work has no other deadline.
 */
const timeoutDefaultMs = 5_000;
/** The part of the remaining time that is reserved for this service's own response. */
const hopMs = 50;

/** Identity and time limit of a client's calls. */
export type ServiceClientOptions = {
  readonly identity: ClientIdentity;
  /** Absent for calls without mutual TLS. The URLs decide whether it is used. */
  readonly tls?: Tls | undefined;
  /** The name of the called service. Required for contracts that every service implements. */
  readonly peer?: string;
  readonly timeoutMs?: number;
  /** Absent if tracing is off. */
  readonly tracing?: Tracing | undefined;
  readonly observe?: ObserveClients;
};

/**
 * The client's identity, and the name of the called service for contracts that every service
 * implements.
 */
export type As = Partial<Pick<ServiceClientOptions, "identity" | "peer">>;

/** A client and its connections, which all calls share. */
export type ServiceClient<S extends DescService> = ReturnType<typeof connectService<S>>;

/**
 * Creates a typed client of a service at one or several URLs. It sends the identity, request id and
 * deadline with each call. It spreads calls and streams over all addresses. A call without a
 * response fails with `UNAVAILABLE`.
 */
export function connectService<S extends DescService>(
  service: S,
  url: string | readonly string[],
  options: ServiceClientOptions,
) {
  const { timeoutMs = timeoutDefaultMs, tracing } = options;
  const { peer = peerOf(service) } = options;
  const observe = options.observe?.(peer) ?? unobserved;
  const urls = [url].flat();
  const { tls } = options;
  const isSecured = tls !== undefined && urls.every((each) => each.startsWith("https:"));
  const securing = isSecured ? () => clientTls(tls, peer) : undefined;
  const openStreams = streamsOf(sendIdentity(options.identity, peer), securing);
  const endpoints = createEndpoints(urls, { observe, openStreams, securing });
  const identity = () => options.identity(peer);
  const { unary } = createUnaryTransport({ endpoints, observe, identity });
  const transport = { unary, stream: balancedStream(endpoints) };
  const traced = tracing === undefined ? transport : traceCalls(transport, tracing);
  return {
    rpc: createClient(service, withinDeadline(traced, timeoutMs)),
    close: endpoints.close,
  };
}

/**
 * Returns the service's name in a contract: `payout` for `disburse.payout.v1.PayoutService`,
 * `health` for `grpc.health.v1.Health`.
 */
export const peerOf = ({ typeName }: DescService) => typeName.split(".")[1] ?? typeName;

/** Limits each call to the remaining time of its request, and to `timeoutMs`. */
function withinDeadline(transport: Transport, timeoutMs: number): Transport {
  const remaining = (requested: number | undefined) => {
    const deadlineMs = callContext()?.deadlineMs;
    if (deadlineMs === undefined) return requested ?? timeoutMs;
    const remainingMs = Math.floor(deadlineMs - Date.now() - hopMs);
    if (remainingMs <= 0)
      throw new ConnectError("the caller's deadline has passed", Code.DeadlineExceeded);
    return Math.min(remainingMs, requested ?? timeoutMs);
  };
  return {
    unary: async (method, signal, timeout, ...rest) =>
      transport.unary(method, signal, remaining(timeout), ...rest),
    stream: async (method, signal, timeout, ...rest) =>
      transport.stream(method, signal, remaining(timeout), ...rest),
  };
}

/** The time after which an idle connection is closed. */
const idleTimeoutMs = 60_000;
/** The interval between two pings on a connection that is idle or has a stream. */
const pingEveryMs = 10_000;
/** The maximum wait for the reply to a ping. Without a reply, the connection is closed. */
const pingTimeoutMs = 5_000;

/**
 * Opens streams over HTTP/2, on one connection for each endpoint. One is enough because streams are
 * few.
 */
function streamsOf(identity: Interceptor, securing: Securing | undefined) {
  return ({ url, lookup }: Address) => {
    const ping = {
      idleConnectionTimeoutMs: idleTimeoutMs,
      pingIntervalMs: pingEveryMs,
      pingTimeoutMs,
    };
    const place = { ...(lookup && { lookup }) };
    const secured = securing && { createConnection: secureConnection(securing, place) };
    const sessionManager = new Http2SessionManager(url, ping, { ...place, ...secured });
    const { stream } = createConnectTransport({
      baseUrl: url,
      httpVersion: "2",
      useBinaryFormat: true,
      sessionManager,
      interceptors: [brokenConnectionIsUnavailable, identity],
    });
    return { stream, close: () => sessionManager.abort() };
  };
}

/** Each connection uses the current certificate. */
function secureConnection(securing: Securing, place: { readonly lookup?: LookupFunction }) {
  return ({ hostname, port }: URL) =>
    connectTls({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || httpsPort),
      ...place,
      ...securing(),
      ALPNProtocols: ["h2"],
    });
}

const httpsPort = 443;

/** Sends a stream to one endpoint. A stream is never restarted. */
function balancedStream(endpoints: Endpoints): Transport["stream"] {
  return async (...call) => {
    const endpoint = endpoints.choose() ?? (await endpoints.resolved());
    try {
      return await endpoint.streams().stream(...call);
    } catch (error) {
      if (ConnectError.from(error).code === Code.Unavailable) endpoints.suspect(endpoint);
      throw error;
    }
  };
}

/**
 * An error from the service has response headers. A network error has none, so it becomes
 * `UNAVAILABLE`.
 */
const brokenConnectionIsUnavailable: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    const { code, metadata } = ConnectError.from(error);
    const isAnswered = metadata.entries().next().done !== true;
    throw isAnswered || code === Code.DeadlineExceeded ? error : unavailable(error);
  }
};
