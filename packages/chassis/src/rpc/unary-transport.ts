import type { IncomingHttpHeaders } from "node:http";
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponseWithCompression,
} from "@connectrpc/connect/protocol-connect";
import { type Dispatcher, errors, Pool } from "undici";
import {
  joined,
  messageBytesMax,
  parseMessage,
  serializeMessage,
  tooLarge,
} from "./unary-message.ts";

/** Calls beyond these to one service wait for a connection: it is overloaded already. */
const connectionsMax = 256;
/** No call waits longer by default. */
const connectTimeoutMs = 5_000;
/** Half of the server's: a call would fail on a connection that the server closes. */
const keepAliveMs = 30_000;
/** Bounds the connections to a slow service: one more pool in this time at most. */
const renewEveryMs = 2_000;

/** A service's unary calls and the connections that they share. */
export type UnaryTransport = Pick<Transport, "unary"> & { readonly close: () => void };

/**
 * Connect's unary calls over HTTP/1.1: each is one POST on a kept connection of its own, never sent
 * again. A call without an answer is `UNAVAILABLE`, for its effect is unknown.
 */
export function createUnaryTransport(
  url: string,
  identity: () => Record<string, string>,
): UnaryTransport {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, "");
  const pools = renewablePools(origin);
  const unary: Transport["unary"] = async (method, signal, timeoutMs, header, input) => {
    const headers = {
      ...(header === undefined ? {} : Object.fromEntries(new Headers(header))),
      "content-type": contentTypeUnaryProto,
      "connect-protocol-version": protocolVersion,
      ...(timeoutMs === undefined ? {} : { "connect-timeout-ms": `${timeoutMs}` }),
      ...identity(),
    };
    const path = `${base}/${method.parent.typeName}/${method.name}`;
    const body = serializeMessage(method.input, input);
    const request = { path, method: "POST", headers, body };
    return readAnswer(method, await exchange(pools, request, { signal, timeoutMs }));
  };
  return { unary, close: pools.destroy };
}

type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
};

/** When a call is given up. */
type Limits = {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
};

/** Sends a request and waits for its whole answer. */
function exchange(
  pools: Pools,
  request: Dispatcher.DispatchOptions,
  { signal, timeoutMs }: Limits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let given: ConnectError | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const giveUp = (error: ConnectError) => {
      given = error;
      settle();
      reject(error);
      controller?.abort(error);
    };
    const onAbort = () => giveUp(ConnectError.from(signal?.reason, Code.Canceled));
    const onDeadline = () => {
      if (status === 0) pools.renew();
      giveUp(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(onDeadline, timeoutMs);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) return onAbort();
    pools.current().dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        // Given up while it waited for a connection: nothing is sent.
        if (given !== undefined) started.abort(given);
      },
      onResponseStart: (_controller, statusCode, responseHeaders) => {
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        settle();
        resolve({ status, headers, body: joined(chunks) });
      },
      onResponseError: (_controller, error) => {
        settle();
        reject(isTooLarge(error) ? tooLarge() : unavailable(error));
      },
    });
  });
}

const isTooLarge = (error: Error) => error instanceof errors.ResponseExceededMaxSizeError;

/** After a reset, closed or refused connection the call's effect is unknown. */
export function unavailable(cause: unknown): ConnectError {
  return new ConnectError("the service does not answer", Code.Unavailable, undefined, [], cause);
}

function readAnswer<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  { status, headers, body }: Answer,
): UnaryResponse<I, O> {
  if (status !== 200 || headers["content-type"] !== contentTypeUnaryProto) {
    throwUnlessMessage(method, { status, headers, body });
  }
  const metadata = () => trailerDemux(webHeaders(headers));
  return {
    stream: false,
    service: method.parent,
    method,
    message: parseMessage(method.output, body),
    // Few calls ask for these.
    get header() {
      return metadata()[0];
    },
    get trailer() {
      return metadata()[1];
    },
  };
}

/** Throws the error that an answer carries, or that its status and content type are. */
function throwUnlessMessage(method: DescMethodUnary, { status, headers, body }: Answer): void {
  const received = webHeaders(headers);
  const { isUnaryError, unaryError } = validateResponseWithCompression(
    method.methodKind,
    [],
    true,
    status,
    received,
  );
  if (!isUnaryError) return;
  const [header, trailer] = trailerDemux(received);
  trailer.forEach((value, name) => {
    header.append(name, value);
  });
  throw errorFromJsonBytes(body, header, unaryError);
}

function webHeaders(headers: IncomingHttpHeaders): Headers {
  const web = new Headers();
  for (const [name, values = []] of Object.entries(headers)) {
    for (const value of [values].flat()) web.append(name, value);
  }
  return web;
}

/** The connections to a service, which can be replaced while calls run on them. */
type Pools = ReturnType<typeof renewablePools>;

function renewablePools(origin: string) {
  const open = () =>
    new Pool(origin, {
      connections: connectionsMax,
      connectTimeout: connectTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      // The server's hint does not lengthen it.
      keepAliveMaxTimeout: keepAliveMs,
      maxResponseSize: messageBytesMax,
      allowH2: false,
      // Every call has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const retired = new Set<Pool>();
  let current = open();
  let renewedAt = Number.NEGATIVE_INFINITY;
  return {
    current: () => current,
    /** Gives new calls new connections, for the peer of the present ones may be gone. */
    renew: () => {
      const now = performance.now();
      if (now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      void old.close().finally(() => retired.delete(old));
    },
    destroy: () => {
      for (const pool of [current, ...retired]) void pool.destroy();
    },
  };
}
