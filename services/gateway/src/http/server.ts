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

/** Decisions §2. The request line counts too. */
const headerBytesMax = 16 * 1024;
/**
 * Longer than the 60 s after which most load balancers let an idle connection go: they must be
 * first.
 */
const keepAliveTimeoutMs = 65_000;
/** Running requests get this long at shutdown (reliability: at most 20 s in flight). */
const drainMs = 20_000;
/** `Allow` of a CONNECT, which has no path whose methods could be looked up. */
const servedMethods = "DELETE, GET, HEAD, OPTIONS, POST";
/** How often connections that became idle are closed during shutdown. */
const idleCheckMs = 50;

/** Slow senders hold a socket no longer than this (reliability: server limits). */
const timeoutsDefault = { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000 };

/** The timeouts of a server; tests shorten them. */
export type HttpTimeouts = typeof timeoutsDefault;

/** Where the public routes are served. */
export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly connections: ConnectionLimits;
  /** Aborted when clients are to go elsewhere. */
  readonly draining?: AbortSignal;
};

/**
 * Serves the public routes over HTTP/1.1, with the limits that no request gets past; port 0 lets
 * the system choose one. While it drains, each answer asks its client to connect anew elsewhere;
 * `stop` stops accepting, lets running requests end, closes.
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
    // Node would answer a missing Host by itself, without the error's body; `headProblem` does it.
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
  // Node would ask for the body before its sender is known: `readBody` does it.
  server.on("checkContinue", handle);
  // Only `100-continue` is met; `headProblem` refuses any other.
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
 * Answers what the parser refused, once the answer before it on this connection is out: a caller
 * must never take a refusal for the answer of a request that is being carried out.
 */
function afterRunning(
  before: ServerResponse | undefined,
  answer: () => void,
  breakOff: () => void,
): void {
  if (before === undefined || before.writableFinished) answer();
  else if (before.req.complete) before.once("finish", answer);
  else if (before.headersSent) breakOff();
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

/** Node's codes that do not simply mean that this is no HTTP request. */
const byParserCode: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "PAYLOAD_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** What a request is refused with that the HTTP parser could not read. */
function parserRefusal(error: NodeJS.ErrnoException): Refused<ErrorCode> {
  const code = byParserCode[error.code ?? ""];
  return code === undefined
    ? refused("INVALID_REQUEST", "This is not a well-formed HTTP request.")
    : refused(code);
}

/**
 * A whole HTTP answer as text, for a socket without a request object; it is logged here.
 */
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
