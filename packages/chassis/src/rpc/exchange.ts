import type { IncomingHttpHeaders } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Dispatcher, errors } from "undici";
import { timerMs } from "../timer.ts";
import type { Endpoint } from "./balancing/endpoint.ts";
import type { NoAnswerReason } from "./balancing/repeats.ts";
import { joined, messageBytesMax, tooLarge } from "./unary-message.ts";
import { unavailable } from "./unavailable.ts";

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
};

/** The reason why a request got no response, and the error for a call that is not sent again. */
export type NoAnswer = { readonly reason: NoAnswerReason; readonly error: ConnectError };

export type Limits = {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  /** Returns true if a hung call may be cancelled and sent to another endpoint. */
  readonly mayMove: (wasSent: boolean) => boolean;
};

/**
 * Sends a request and waits for its whole response, or for the end of its connection. Rejects with
 * a `ConnectError` if a repeat would not help: the deadline has passed, the call was cancelled, or
 * the response is too large.
 */
export function exchange(
  endpoint: Endpoint,
  request: Dispatcher.DispatchOptions,
  { signal, timeoutMs, mayMove }: Limits,
): Promise<Answer | NoAnswer> {
  const { calls, pools } = endpoint;
  return new Promise((resolve, reject) => {
    let given: ConnectError | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    const settle = () => {
      clearTimeout(timer);
      calls.delete(call);
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
    const onHung = () => {
      if (!mayMove(controller !== undefined)) return;
      const error = unavailable(
        new Error("the called process accepts connections but does not respond"),
      );
      resolve({ reason: "hung", error });
      giveUp(error);
    };
    const call = { onHung };
    const timer = timeoutMs === undefined ? undefined : setTimeout(onDeadline, timerMs(timeoutMs));
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) return onAbort();
    if (calls.size === 0) endpoint.answeredMs = performance.now();
    calls.add(call);
    pools.current().dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        // The call was cancelled while it waited for a connection, so nothing is sent.
        if (given !== undefined) started.abort(given);
      },
      onResponseStart: (_controller, statusCode, responseHeaders) => {
        endpoint.answeredMs = performance.now();
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
        if (isTooLarge(error)) reject(tooLarge(messageBytesMax));
        else {
          const reason = controller === undefined ? "refused" : "broken";
          resolve({ reason, error: unavailable(error) });
        }
      },
    });
  });
}

const isTooLarge = (error: Error) => error instanceof errors.ResponseExceededMaxSizeError;
