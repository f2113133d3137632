import type { IncomingHttpHeaders } from "node:http";
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport, UnaryResponse } from "@connectrpc/connect";
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponseWithCompression,
} from "@connectrpc/connect/protocol-connect";
import { createSender, type SenderOptions, timeoutHeader } from "./balancing/sender.ts";
import type { Answer } from "./exchange.ts";
import { requestHeaders } from "./identity.ts";
import { parseMessage, serializeMessage } from "./unary-message.ts";

export type UnaryTransportOptions = SenderOptions & {
  /** Returns the `authorization` header of a call. */
  readonly identity: () => string | Promise<string>;
};

/**
 * Sends Connect's unary calls over HTTP/1.1. Each call is a POST request with a persistent
 * connection to itself until it ends. If a call gets no response, it is repeated if it is
 * repeatable (docs/decisions/0025-balancing.md). Otherwise it fails with `UNAVAILABLE`, because its
 * effect is unknown.
 */
export function createUnaryTransport(options: UnaryTransportOptions): Pick<Transport, "unary"> {
  const { identity, observe } = options;
  const sender = createSender(options);
  const unary: Transport["unary"] = async (method, signal, timeoutMs, header, input) => {
    const startedMs = performance.now();
    let failed: unknown;
    try {
      const token = identity();
      const headers = {
        ...(header === undefined ? {} : Object.fromEntries(new Headers(header))),
        "content-type": contentTypeUnaryProto,
        "connect-protocol-version": protocolVersion,
        ...timeoutHeader(timeoutMs),
        ...requestHeaders(),
        authorization: typeof token === "string" ? token : await token,
      };
      const body = serializeMessage(method.input, input);
      const call = { method, headers, body, signal, timeoutMs, startedMs };
      const chosen = sender.choose();
      const to = chosen instanceof Promise ? await chosen : chosen;
      let answer = await sender.send(call, to);
      if ("reason" in answer) answer = await sender.sendAgain(call, to, answer);
      else sender.noteAnswer(answer, to);
      return readAnswer(method, answer);
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      observe.called(method.name, failed, (performance.now() - startedMs) / 1_000);
    }
  };
  return { unary };
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
    // Created on first use, because few callers read the headers.
    get header() {
      return metadata()[0];
    },
    get trailer() {
      return metadata()[1];
    },
  };
}

/** Throws the error that a response contains, or an error for its status and content type. */
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
