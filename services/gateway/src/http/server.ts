import { once } from "node:events";
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { ErrorCode } from "@disburse/kernel/errors.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { refusalAnswer } from "./answer.ts";
import { type ConnectionLimits, limitConnections } from "./connections.ts";
import { securityHeaders } from "./observe.ts";

/** Decisions §2. Includes the request line. */
const headerBytesMax = 16 * 1024;
/** Most load balancers close idle connections after 60 s. They must close first. */
const keepAliveTimeoutMs = 65_000;
/** Running requests get this long at shutdown (reliability: at most 20 s in flight). */
const drainMs = 20_000;
/** `Allow` of a CONNECT request, which has no path to look up. */
const servedMethods = "DELETE, GET, HEAD, OPTIONS, POST";
/** Interval for closing idle connections during shutdown. */
const idleCheckMs = 50;

/** Slow senders hold a socket no longer than this (reliability: server limits). */
const timeoutsDefault = { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000 };

export type HttpTimeouts = typeof timeoutsDefault;

export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly connections: ConnectionLimits;
  /** Aborted when clients should move to other processes. */
  readonly draining?: AbortSignal;
};

/**
 * Serves the public routes over HTTP/1.1 with limits on every request. Port 0 lets the system
 * choose one. While draining, each response closes its connection. `stop` stops accepting requests,
 * waits for running ones, and closes.
 */
export async function startHttpServer(
  listener: RequestListener,
  options: HttpServerOptions,
  timeouts = timeoutsDefault,
) {
  const { host, port, log, connections, draining } = options;
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Node would answer a missing Host without an error body. `headProblem` handles it.
    requireHostHeader: false,
  });
  limitConnections(server, connections);
  const running = new WeakMap<Duplex, ServerResponse>();
  const handle: RequestListener = (request, response) => {
    running.set(request.socket, response);
    if (draining?.aborted) response.shouldKeepAlive = false;
    listener(request, response);
  };
  server.on("request", handle);
  // Node would request the body before its sender is known. `readBody` requests it.
  server.on("checkContinue", handle);
  // Only `100-continue` is supported. `headProblem` refuses other expectations.
  server.on("checkExpectation", handle);
  server.on("connect", (_request, socket) => {
    // Node detaches this socket, so its errors have no other listener.
    socket.on("error", () => socket.destroy());
    socket.end(rawAnswer(refused("METHOD_NOT_ALLOWED"), log, { Allow: servedMethods }));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = () => {
      const isThere = socket.writable && error.code !== "ECONNRESET";
      if (isThere) socket.end(rawAnswer(parserRefusal(error), log));
      else socket.destroy();
    };
    afterRunning(running.get(socket), answer, () => socket.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host}:${bound}`, stop: () => stop(server) };
}

/**
 * Answers an unparsable request after the previous response on its connection. A caller must never
 * take this refusal for the response of a running request.
 */
function afterRunning(
  previous: ServerResponse | undefined,
  answer: () => void,
  breakOff: () => void,
): void {
  if (previous === undefined || previous.writableFinished) answer();
  else if (previous.req.complete) previous.once("finish", answer);
  else if (previous.headersSent) breakOff();
  else answer();
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const late = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/** Parser errors with their own code. All others are `INVALID_REQUEST`. */
const byParserCode: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "PAYLOAD_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** Refusal of a request that the HTTP parser could not read. */
function parserRefusal(error: NodeJS.ErrnoException): Refused<ErrorCode> {
  const code = byParserCode[error.code ?? ""];
  return code === undefined
    ? refused("INVALID_REQUEST", "This is not a well-formed HTTP request.")
    : refused(code);
}

/** Builds a raw HTTP response for a socket without a request object, and logs it. */
function rawAnswer(
  refusal: Refused<ErrorCode>,
  log: Log,
  more: Readonly<Record<string, string>> = {},
): string {
  const requestId = crypto.randomUUID();
  const { status, headers, body } = refusalAnswer(refusal, more);
  const all = {
    ...headers,
    ...securityHeaders,
    "X-Request-Id": requestId,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
  };
  const fields = { request_id: requestId, route: "unreadable", status, code: refusal.refused };
  log.info(fields, "request");
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
