import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
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

/** Maximum size of the headers and the request line together (decisions §2). */
const headerBytesMax = 16 * 1024;
/**
 * Idle connections stay open longer than the usual 60 s of load balancers. The balancer must close
 * first, or it could send a request to a closed connection.
 */
const keepAliveTimeoutMs = 65_000;
/** Time that running requests have to finish at shutdown (reliability: at most 20 s in flight). */
const drainMs = 20_000;
/** `Allow` header of the response to a CONNECT request. Such a request has no path to look up. */
const servedMethods = "DELETE, GET, HEAD, OPTIONS, POST";
/** During shutdown, idle connections are closed at this interval. */
const idleCheckMs = 50;

/** Limits how long a slow sender can occupy a socket (reliability: server limits). */
const timeoutsDefault = { headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000 };

export type HttpTimeouts = typeof timeoutsDefault;

export type HttpServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly connections: ConnectionLimits;
  /** Aborts when clients should reconnect to other processes. */
  readonly draining?: AbortSignal;
  /** Requests that upload files may take longer to arrive. */
  readonly uploads?: { readonly paths: ReadonlySet<string>; readonly requestMs: number };
};

/**
 * Serves the public routes over HTTP/1.1 with limits on every request. For port 0, the system
 * chooses a port. While draining, the server closes each connection after its response. `stop`
 * accepts no more requests, waits for running ones and closes the server.
 */
export async function startHttpServer(
  listener: RequestListener,
  options: HttpServerOptions,
  timeouts = timeoutsDefault,
) {
  const { host, port, log, connections, draining, uploads } = options;
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: timeouts.headersMs,
    requestTimeout: uploads?.requestMs ?? timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Disabled, because Node's own response to a missing Host has no error body. `headProblem`
    // refuses such requests.
    requireHostHeader: false,
  });
  limitConnections(server, connections);
  const running = new WeakMap<Duplex, ServerResponse>();
  const handle: RequestListener = (request, response) => {
    running.set(request.socket, response);
    if (uploads !== undefined && !uploads.paths.has(request.url ?? "")) {
      limitSending(server, request, timeouts.requestMs);
    }
    if (draining?.aborted) response.shouldKeepAlive = false;
    listener(request, response);
  };
  server.on("request", handle);
  // Without this listener, Node would tell the client to send its body before the caller is
  // authenticated. `readBody` does that later.
  server.on("checkContinue", handle);
  // Only `100-continue` is supported. `headProblem` refuses all other expectations.
  server.on("checkExpectation", handle);
  server.on("connect", (_request, socket) => {
    // Node removes its listeners from this socket, so nothing else handles its errors.
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

/** Limits one request, as the server's own limit does for all. */
function limitSending(server: Server, request: IncomingMessage, requestMs: number): void {
  const slow = Object.assign(new Error("the request is slow"), {
    code: "ERR_HTTP_REQUEST_TIMEOUT",
  });
  const late = setTimeout(() => {
    if (!request.complete) server.emit("clientError", slow, request.socket);
  }, requestMs).unref();
  request.once("close", () => clearTimeout(late));
}

/**
 * Responds to an unparsable request after the previous request on the connection has its response.
 * Otherwise the caller could take the refusal for the response to the running request.
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

/** Parser errors that have their own code. All others become `INVALID_REQUEST`. */
const byParserCode: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "PAYLOAD_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** Returns the refusal of a request that the HTTP parser could not read. */
function parserRefusal(error: NodeJS.ErrnoException): Refused<ErrorCode> {
  const code = byParserCode[error.code ?? ""];
  return code === undefined
    ? refused("INVALID_REQUEST", "This is not a well-formed HTTP request.")
    : refused(code);
}

/** Builds and logs a raw HTTP response for a socket that has no request object. */
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
