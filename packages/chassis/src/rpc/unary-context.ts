import type { IncomingMessage, ServerResponse } from "node:http";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { timerMs } from "../timer.ts";

/**
 * The context of a handler's call. The signal, headers and values are created when they are first
 * read, because most handlers read none of them.
 */
export class UnaryContext implements HandlerContext {
  readonly method: DescMethodUnary;
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #deadlineMs: number | undefined;
  #controller: AbortController | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;

  constructor(
    method: DescMethodUnary,
    request: IncomingMessage,
    response: ServerResponse,
    timeoutMs: number | undefined,
  ) {
    this.method = method;
    this.#request = request;
    this.#response = response;
    this.#deadlineMs = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  }

  get service() {
    return this.method.parent;
  }

  get url() {
    return `http://${this.#request.headers.host ?? ""}${this.#request.url ?? ""}`;
  }

  get values() {
    this.#values ??= createContextValues();
    return this.#values;
  }

  get requestHeader() {
    this.#requestHeader ??= webHeaders(this.#request);
    return this.#requestHeader;
  }

  get responseHeader() {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer() {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /**
   * A signal that aborts at the deadline, when the caller's connection closes, or when the call has
   * ended.
   */
  get signal() {
    this.#controller ??= this.#watch();
    return this.#controller.signal;
  }

  timeoutMs() {
    return this.#deadlineMs === undefined ? undefined : this.#deadlineMs - Date.now();
  }

  /** Returns the headers and trailers that the handler has set, if any. */
  written(): { readonly header?: Headers | undefined; readonly trailer?: Headers | undefined } {
    return { header: this.#responseHeader, trailer: this.#responseTrailer };
  }

  /** Ends the call. The signal then aborts work that still runs for the call. */
  end(): void {
    this.#hasEnded = true;
    this.#abort("the call has ended", Code.Canceled);
  }

  #watch(): AbortController {
    const controller = new AbortController();
    this.#controller = controller;
    const leftMs = this.timeoutMs();
    if (this.#hasEnded) this.end();
    else if (this.#response.closed) this.#onClose();
    else {
      this.#response.once("close", () => this.#onClose());
      if (leftMs !== undefined) {
        const onDeadline = () => this.#abort("the operation timed out", Code.DeadlineExceeded);
        this.#deadline = setTimeout(onDeadline, timerMs(Math.max(leftMs, 0)));
      }
    }
    return controller;
  }

  #onClose(): void {
    this.#abort("the caller closed the connection", Code.Canceled);
  }

  /**
   * Always passes a reason. Without one, `abort` would create a `DOMException`, the most expensive
   * step of a call.
   */
  #abort(message: string, code: Code): void {
    clearTimeout(this.#deadline);
    if (this.#controller === undefined || this.#controller.signal.aborted) return;
    this.#controller.abort(new ConnectError(message, code));
  }
}

function webHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}
