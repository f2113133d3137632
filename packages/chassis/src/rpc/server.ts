import {
  createServer as createHttp1Server,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import {
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createContextValues } from "@connectrpc/connect";
import { parseTimeout } from "@connectrpc/connect/protocol-grpc";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { timerMsMax } from "../timer.ts";
import {
  type AdmissionOptions,
  admissionInterceptor,
  createAdmission,
  peerKey,
} from "./admission.ts";
import { createListener, createPeers, type Peers, type Refused } from "./listener.ts";
import {
  limitRequests,
  limitSession,
  type SendingTimes,
  sendingTimesDefault,
} from "./slow-senders.ts";
import { registerHealth, registerReflection, standardServices } from "./standard-services.ts";
import { createUnaryHandler, noteUnary, type UnaryMethods } from "./unary-handler.ts";
import { messageBytesMax } from "./unary-message.ts";

/**
 * The default maximum age of a connection. Clients must reconnect to find replicas that were added
 * later. They do so too rarely for this to have a cost.
 */
const connectionAgeMs = 5 * 60_000;
/**
 * The share by which the age varies, so that connections that were opened together, as at a
 * restart, do not close together.
 */
const jitterShare = 0.1;
/**
 * The highest stream id. A GOAWAY with this id refuses no stream that is already on its way (RFC
 * 9113, section 6.8).
 */
const anyStreamId = 2 ** 31 - 1;
/**
 * The time between the first and the last GOAWAY. It exceeds a round trip, so requests that the
 * client sent before it read the first GOAWAY arrive in time.
 */
const goawayLeadMs = 1_000;
/**
 * The time after which a session is closed even if a stream, such as a client's watch, is still
 * open.
 */
const lastStreamsMs = 10 * 60_000;

/** Closes connections that have reached their maximum age. */
type ConnectionAge = {
  /** Closes an HTTP/2 session at its maximum age. Sends GOAWAY and lets open streams finish. */
  readonly limit: (session: ServerHttp2Session) => void;
  /**
   * Returns true if an HTTP/1.1 connection has reached its maximum age. It is closed after its next
   * response.
   */
  readonly isOver: (socket: Socket) => boolean;
};

const header = "grpc-message";
const percent = 0x25;

export type RpcServerOptions = AdmissionOptions & {
  readonly host: string;
  readonly port: number;
  /** The services that reflection lists. `routes` must serve all of them. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Returns true if the service should receive calls now. */
  readonly ready: () => Promise<boolean>;
  /** The approximate maximum age of a connection. The default is five minutes. */
  readonly connectionAgeMs?: number;
  /** Time limits for clients that send requests. Tests shorten them. */
  readonly sendingTimes?: SendingTimes;
  /** Aborted when clients should use another process. Remaining calls are served until `stop`. */
  readonly draining?: AbortSignal | undefined;
};

export type RpcServer = Awaited<ReturnType<typeof startRpcServer>>;

/** The time that running calls get at shutdown (reliability: at most 20 s in flight). */
const drainMs = 20_000;
/** A connection is closed if it sends no byte in this time. */
const firstByteMs = 10_000;
/** A TLS connection is closed if its handshake takes longer than this. */
const handshakeMs = 5_000;
/** The first bytes of an HTTP/2 client. */
const http2Preface = "PRI";
/**
 * The time after which an idle HTTP/1.1 connection is closed. Our own clients close theirs earlier.
 */
const keepAliveMs = 60_000;
/**
 * The maximum number of connections. It allows 60 processes with pools of 128 connections each. An
 * idle connection takes about 10 KB.
 */
const connectionsMax = 8_000;
/**
 * The maximum number of concurrent calls on one HTTP/2 connection. gRPC's own servers allow 100.
 */
const sessionStreamsMax = 256;

/**
 * Serves gRPC, gRPC-Web and Connect on one port. The first bytes of a connection show whether it
 * uses HTTP/2 or HTTP/1.1. Adds health checks and reflection to the service's own routes.
 */
export async function startRpcServer(options: RpcServerOptions) {
  const { draining = new AbortController().signal, sendingTimes = sendingTimesDefault } = options;
  const peers = createPeers();
  const { full, unary } = requestHandlers(options, sendingTimes, peers);
  const age = createConnectionAge(options.connectionAgeMs);
  let isStopping = false;
  const http1 = http1Server(sendingTimes, (request, response) => {
    // Without this, a connection that is never idle would stay open after the drain.
    if (isStopping || draining.aborted || age.isOver(request.socket))
      response.shouldKeepAlive = false;
    unary(request, response);
  });
  const settings = { maxConcurrentStreams: sessionStreamsMax };
  const http2 = createHttp2Server({ settings }, full);
  const sessions = new Set<ServerHttp2Session>();
  http2.on("session", (session) => {
    sessions.add(session);
    age.limit(session);
    limitSession(session, sendingTimes);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    if (draining.aborted) endSession(session);
  });
  draining.addEventListener("abort", () => sessions.forEach(endSession));
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  const opened = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const accepted = (socket: Socket, service: string | undefined) => {
    peers.note(socket, service);
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
    readPreface(socket, (isHttp2) => {
      silent.delete(socket);
      // The session begins during the following call.
      const began = (session: ServerHttp2Session) => peers.note(session, service);
      http2.prependOnceListener("session", began);
      (isHttp2 ? http2 : http1).emit("connection", socket);
      http2.off("session", began);
    });
  };
  const { tls, metrics } = options;
  const refused = (reason: Refused) => metrics.rpcConnectionsRefused.inc({ reason });
  const listener = createListener({ tls, handshakeMs, opened, accepted, refused });
  listener.maxConnections = connectionsMax;
  const port = await listen(listener, options.port, options.host);
  return {
    url: `${tls === undefined ? "http" : "https"}://${options.host}:${port}`,
    /**
     * Stops the server. Running calls get at most 20 s. The port stays in use until `held` has
     * settled.
     */
    stop: async (held: Promise<unknown> = Promise.resolve()): Promise<void> => {
      isStopping = true;
      listener.maxConnections = 0;
      const closed = Promise.allSettled([held]).then(
        () => new Promise<void>((resolve) => listener.close(() => resolve())),
      );
      for (const session of sessions) session.close();
      for (const socket of silent) socket.destroy();
      http1.close();
      const late = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), drainMs);
      const idle = setInterval(() => http1.closeIdleConnections(), 50);
      await closed;
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

/** Detects the protocol from the first bytes. Closes a connection that sends none in time. */
function readPreface(socket: Socket, hand: (isHttp2: boolean) => void): void {
  const giveUp = () => socket.destroy();
  socket.on("error", giveUp);
  socket.setTimeout(firstByteMs, giveUp);
  socket.once("data", (first: Buffer) => {
    socket.setTimeout(0, giveUp);
    socket.pause();
    socket.unshift(first);
    const isHttp2 = first.subarray(0, http2Preface.length).toString("latin1") === http2Preface;
    hand(isHttp2);
    if (!isHttp2) process.nextTick(() => socket.resume());
  });
}

/** Creates an HTTP/1.1 server that receives connections from the listener. */
function http1Server({ headMs, streamMs, checkEveryMs }: SendingTimes, listener: RequestListener) {
  const timeouts = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headMs,
    requestTimeout: streamMs,
    connectionsCheckingInterval: checkEveryMs,
  };
  const server = createHttp1Server(timeouts, listener);
  // The server has no listener of its own. This event starts its checks for idle and slow
  // connections.
  server.emit("listening");
  return server;
}

/** Creates the full adapter, and a handler in front of it that serves plain unary calls. */
function requestHandlers(options: RpcServerOptions, sendingTimes: SendingTimes, peers: Peers) {
  const { tls, log } = options;
  const admission = createAdmission(options);
  const methods: UnaryMethods = new Map();
  const full = connectNodeAdapter({
    routes: (router) => {
      const noting = noteUnary(router, methods);
      options.routes(noting);
      registerHealth(noting, options.services, options.ready);
      registerReflection(router, options.services);
      encodeMessages(router);
    },
    readMaxBytes: messageBytesMax,
    // Unknown fields are refused, because a misspelt field in an update would remove a value
    // instead of setting it.
    jsonOptions: { ignoreUnknownFields: false },
    ...(tls && {
      contextValues: (request) => createContextValues().set(peerKey, peers.ofRequest(request)),
    }),
    interceptors: [admissionInterceptor(admission)],
  });
  const peerOf = tls === undefined ? () => undefined : peers.ofRequest;
  const unary = createUnaryHandler({ methods, admission, log, peerOf, full });
  const limit = limitRequests([...options.services, ...standardServices], sendingTimes);
  return {
    full: (request: Http2ServerRequest, response: Http2ServerResponse) => {
      limit(request, response);
      capDeadline(request.headers);
      full(request, response);
    },
    unary: (request: IncomingMessage, response: ServerResponse) => {
      limit(request, response);
      capDeadline(request.headers);
      unary(request, response);
    },
  };
}

const connectTimeout = "connect-timeout-ms";
const grpcTimeout = "grpc-timeout";

/**
 * Reduces a request's deadline to the longest one that a timer supports. Handles the deadline
 * headers of both protocols.
 */
export function capDeadline(headers: IncomingHttpHeaders): void {
  const connectMs = headers[connectTimeout];
  if (typeof connectMs === "string" && /^\d{10}$/.test(connectMs)) {
    headers[connectTimeout] = `${Math.min(Number(connectMs), timerMsMax)}`;
  }
  const grpc = headers[grpcTimeout];
  if (typeof grpc !== "string") return;
  const { timeoutMs = 0, error } = parseTimeout(grpc, Number.MAX_SAFE_INTEGER);
  if (error === undefined && timeoutMs > timerMsMax) {
    headers[grpcTimeout] = `${Math.floor(timerMsMax / 1_000)}S`;
  }
}

function listen(listener: Server, port: number, host: string) {
  return new Promise<number>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(port, host, () => {
      listener.off("error", reject);
      resolve((listener.address() as AddressInfo).port);
    });
  });
}

/**
 * Encodes a status message as gRPC does: UTF-8 bytes, with `%` and bytes outside of printable ASCII
 * as `%XX` (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 */
export function percentEncoded(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== percent;
    encoded += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/**
 * Sends the messages of gRPC statuses in gRPC's own encoding. The library connect encodes them as
 * for a URI. Clients that decode less, such as grpc-js, would then show `%3A` instead of a colon.
 */
function encodeMessages(router: ConnectRouter): void {
  for (const [at, handler] of router.handlers.entries()) {
    const encoding: typeof handler = Object.assign(
      async (request: Parameters<typeof handler>[0]) => {
        const response = await handler(request);
        const { body, trailer } = response;
        if (body === undefined || trailer === undefined) return response;
        return { ...response, body: thenEncode(body, trailer) };
      },
      handler,
    );
    router.handlers[at] = encoding;
  }
}

async function* thenEncode(body: AsyncIterable<Uint8Array>, trailer: Headers) {
  yield* body;
  const message = trailer.get(header);
  if (message !== null) trailer.set(header, percentEncoded(decodeURIComponent(message)));
}

/**
 * Closes an HTTP/2 session with GOAWAY. Requests that the client sent before it read the GOAWAY are
 * still served.
 */
function endSession(session: ServerHttp2Session): void {
  session.goaway(constants.NGHTTP2_NO_ERROR, anyStreamId);
  const timer = setTimeout(() => session.close(), goawayLeadMs).unref();
  const last = setTimeout(() => session.destroy(), lastStreamsMs).unref();
  session.once("close", () => {
    clearTimeout(timer);
    clearTimeout(last);
  });
}

/**
 * Closes connections at an age of about `ageMs`, so that new replicas get work. The default is five
 * minutes.
 */
export function createConnectionAge(ageMs = connectionAgeMs): ConnectionAge {
  const drawn = () => ageMs * (1 + jitterShare * (2 * Math.random() - 1));
  const endsAt = new WeakMap<Socket, number>();
  return {
    limit: (session) => {
      const timer = setTimeout(() => endSession(session), drawn()).unref();
      session.once("close", () => clearTimeout(timer));
    },
    isOver: (socket) => {
      const now = performance.now();
      const end = endsAt.get(socket);
      if (end === undefined) endsAt.set(socket, now + drawn());
      return end !== undefined && now >= end;
    },
  };
}
