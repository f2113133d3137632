import type { IncomingMessage, ServerResponse } from "node:http";
import { create, type DescMethod, type DescMethodUnary, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, type MethodImpl } from "@connectrpc/connect";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorToJsonBytes,
  parseTimeout,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";
import type { CallContext } from "../call-context.ts";
import type { Log } from "../log.ts";
import { reportRejection } from "../rejections.ts";
import { type Admission, type IncomingCall, rpcErrorOf } from "./admission.ts";
import { UnaryContext } from "./unary-context.ts";
import { joined, parseMessage, requestBytesMax, tooLarge } from "./unary-message.ts";

/** The interval at which this thread records that it is running. */
const beatMs = 100;
/**
 * Without a record for this long, the thread has stalled. Callers send their calls elsewhere after
 * about a second of silence, which is twice as long.
 */
const stallMs = 500;
/** The time after a stall in which all data that waited in the connections has been read. */
const recoveryMs = 1_000;

let beatenMs = Number.NEGATIVE_INFINITY;
let recoveredMs = Number.NEGATIVE_INFINITY;
let timer: NodeJS.Timeout | undefined;

type UnaryMethod = {
  readonly method: DescMethodUnary;
  readonly handle: MethodImpl<DescMethodUnary>;
  readonly bytesMax: number;
};

/** The unary methods of a server by their paths. */
export type UnaryMethods = Map<string, UnaryMethod>;

/**
 * Wraps a router so that it also collects the unary methods of the services that are registered.
 */
export function noteUnary(router: ConnectRouter, methods: UnaryMethods): ConnectRouter {
  const noting: ConnectRouter = {
    handlers: router.handlers,
    service: (service, implementation, options) => {
      router.service(service, implementation, options);
      const handlers = implementation as Record<string, MethodImpl<DescMethodUnary> | undefined>;
      for (const method of service.methods) {
        const handle = handlers[method.localName]?.bind(implementation);
        // A service with its own options is skipped, because only the full adapter supports those.
        if (!isUnary(method) || handle === undefined || options !== undefined) continue;
        const bytesMax = requestBytesMax(method);
        methods.set(`/${service.typeName}/${method.name}`, { method, handle, bytesMax });
      }
      return noting;
    },
    rpc: (method, implementation, options) => {
      router.rpc(method, implementation, options);
      return noting;
    },
  };
  return noting;
}

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === "unary";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export type UnaryHandlerOptions = {
  readonly methods: UnaryMethods;
  readonly admission: Admission;
  readonly log: Log;
  /** Returns the service that the certificate of a request's connection names. */
  readonly peerOf: (request: IncomingMessage) => string | undefined;
  /** Handles all requests other than plain unary calls. */
  readonly full: RequestHandler;
};

/**
 * Serves Connect's unary calls over HTTP/1.1 in binary format without compression. Our own clients
 * send such calls. The handler takes a third of the full adapter's processor time and gives the
 * same responses.
 */
export function createUnaryHandler(options: UnaryHandlerOptions): RequestHandler {
  const { methods, full, admission, peerOf } = options;
  watchForStalls();
  return (request, response) => {
    const called = methods.get(request.url ?? "");
    if (called === undefined || !isPlain(request)) {
      full(request, response);
      return;
    }
    const header = (name: string) => headerOf(request.headers, name);
    const call = { method: called.method, header, peer: peerOf(request) };
    const read = (context: CallContext) =>
      receive(request, called.bytesMax, (body) => {
        const exchange = { call, handle: called.handle, context, request, response, body };
        const serve = () => {
          answer(options, exchange).catch(reportRejection);
        };
        if (hasStalled()) unlessLeft(request, serve);
        else serve();
      });
    const refuse = (error: unknown) => refuseUnread(called.method, request, response, error);
    try {
      const context = admission.identify(call);
      if (context instanceof Promise) context.then(read, refuse);
      else read(context);
    } catch (error) {
      refuse(error);
    }
  };
}

/** Refuses an unidentified caller without reading the body. */
function refuseUnread(
  method: DescMethodUnary,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  response.shouldKeepAlive = false;
  const context = new UnaryContext(method, request, response, undefined);
  sendError(response, context, ConnectError.from(error));
  context.end();
}

/**
 * The wait for the end of a connection, which may be read some time after the last request on that
 * connection.
 */
const leftMs = 20;

/**
 * Serves a request that may have waited while this process was frozen, unless its caller has
 * disconnected meanwhile. The caller may have repeated the request at another process that refused
 * it. The request must then have no effect here.
 */
function unlessLeft(request: IncomingMessage, serve: () => void): void {
  const serveIfThere = () => {
    const { destroyed, readableEnded } = request.socket;
    if (!destroyed && !readableEnded) serve();
  };
  // Under load, the timer can fire before the event loop has read the ends of connections. The loop
  // reads them before it runs an immediate.
  setTimeout(() => setImmediate(serveIfThere), leftMs);
}

function isPlain({ method, headers }: IncomingMessage): boolean {
  const version = headers["connect-protocol-version"];
  return (
    method === "POST" &&
    headers["content-type"] === contentTypeUnaryProto &&
    headers["content-encoding"] === undefined &&
    (version === undefined || version === protocolVersion)
  );
}

/**
 * Returns the whole body, or the reason why it was not read. Returns nothing if the connection
 * closes first.
 */
function receive(
  request: IncomingMessage,
  bytesMax: number,
  done: (body: Uint8Array | ConnectError) => void,
): void {
  const announced = Number(request.headers["content-length"]);
  if (announced > bytesMax) {
    done(tooLarge(bytesMax, announced));
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    const isOver = size > bytesMax;
    size += chunk.length;
    if (isOver) return;
    if (size <= bytesMax) chunks.push(chunk);
    else done(tooLarge(bytesMax));
  });
  request.on("end", () => {
    if (size > bytesMax) return;
    done(joined(chunks));
  });
}

type Exchange = {
  readonly call: IncomingCall;
  readonly handle: MethodImpl<DescMethodUnary>;
  readonly context: CallContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array | ConnectError;
};

async function answer({ admission, log }: UnaryHandlerOptions, exchange: Exchange): Promise<void> {
  const { call, handle, request, response, body } = exchange;
  const method = call.method as DescMethodUnary;
  const timeout = parseTimeout(call.header("connect-timeout-ms") ?? null, Number.MAX_SAFE_INTEGER);
  const context = new UnaryContext(method, request, response, timeout.timeoutMs);
  try {
    if (timeout.error !== undefined) throw timeout.error;
    if (body instanceof ConnectError) throw body;
    const message = parseMessage(method.input, body);
    const bytes = await admission.run(exchange.context, call, async () => {
      const output = await handle(message, context);
      return toBinary(method.output, create(method.output, output));
    });
    sendMessage(response, context, bytes);
  } catch (error) {
    sendError(response, context, rpcErrorOf(error, method.name, log));
  } finally {
    context.end();
  }
}

function headerOf(headers: IncomingMessage["headers"], name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

function sendMessage(response: ServerResponse, context: UnaryContext, bytes: Uint8Array): void {
  const { header, trailer } = context.written();
  const headers = ["content-type", contentTypeUnaryProto, "content-length", `${bytes.length}`];
  for (const [name, value] of header ?? []) headers.push(name, value);
  for (const [name, value] of trailer ?? []) headers.push(`trailer-${name}`, value);
  response.writeHead(200, headers).end(bytes);
}

function sendError(response: ServerResponse, context: UnaryContext, error: ConnectError): void {
  const { header, trailer } = context.written();
  const bytes = errorToJsonBytes(error, undefined);
  const headers = new Headers(header);
  headers.set("content-type", contentTypeUnaryJson);
  // Headers from another service's response are not passed on.
  if (!error.isWireError) mergeNonProtocolHeaders(headers, error.metadata);
  trailer?.forEach((value, name) => {
    headers.append(`trailer-${name}`, value);
  });
  headers.set("content-length", `${bytes.length}`);
  response.writeHead(codeToHttpStatus(error.code), [...headers].flat()).end(bytes);
}

/** Starts to detect whether this thread was frozen or blocked. */
function watchForStalls(): void {
  if (timer !== undefined) return;
  beatenMs = performance.now();
  timer = setInterval(() => {
    const now = performance.now();
    if (now - beatenMs > stallMs) recoveredMs = now + recoveryMs;
    beatenMs = now;
  }, beatMs).unref();
}

/** Returns true if this thread has just recovered from a stall. */
function hasStalled(): boolean {
  const now = performance.now();
  return now - beatenMs > stallMs || now < recoveredMs;
}
