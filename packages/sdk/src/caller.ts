import { readAnswer } from "./answer.ts";
import type { CallOptions } from "./call-options.ts";
import { type ClientSettings, checkedTimeout } from "./client-options.ts";
import { DisburseError } from "./disburse-error.ts";
import { isUnderWay, isWorthRetrying, retryWaitMs } from "./retry.ts";
import { type Deadline, realTime, startDeadline, type Time } from "./time.ts";
import { userAgent } from "./version.ts";

/** One operation with all that it is asked with. */
export type ApiRequest = {
  readonly method: string;
  /** From `/api/v1` on, its ids encoded. */
  readonly path: string;
  /** What is `undefined` is not sent. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
};

/** Sends requests, with retries; the resources of the client stand on it. */
export type Caller = {
  /**
   * Resolves with what the answer holds under `data`, and rejects with a `DisburseError`, with the
   * reason of the caller's signal, or with a `TypeError` where an option cannot be.
   */
  send<T>(request: ApiRequest, options: CallOptions): Promise<T>;
};

/** A part of a path: an id that cannot become another path than its own. */
export function segment(id: string): string {
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) throw new TypeError("an id has to be given");
  return encodeURIComponent(id);
}

/** A call under way: what goes out the same with every try. */
type Call = {
  readonly url: string;
  readonly init: RequestInit;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadlineAt: number;
};

/** The caller of a client; time is an argument for tests. */
export function createCaller(settings: ClientSettings, time: Time = realTime): Caller {
  return {
    send: async <T>(request: ApiRequest, options: CallOptions): Promise<T> => {
      const call = begin(settings, request, options, time);
      let counted = 0;
      for (let retry = 1; ; retry += 1) {
        const outcome = await attempt(settings, call, time);
        if (!(outcome instanceof DisburseError)) return outcome.data as T;
        const waitMs = retryWaitMs(retry, outcome.retryAfterSeconds ?? 0, time.random());
        const isLate = time.now() + waitMs >= call.deadlineAt;
        if (!isUnderWay(outcome)) counted += 1;
        const isEnough = settings.retriesMax === 0 || counted > settings.retriesMax;
        if (isEnough || isLate || !isWorthRetrying(outcome)) throw outcome;
        await time.wait(waitMs, call.signal);
      }
    },
  };
}

function begin(
  settings: ClientSettings,
  request: ApiRequest,
  options: CallOptions,
  time: Time,
): Call {
  const { method, path, query = {}, body } = request;
  const { signal, requestId = crypto.randomUUID() } = options;
  signal?.throwIfAborted();
  if (typeof requestId !== "string" || !/^[A-Za-z0-9._:-]{1,128}$/.test(requestId)) {
    throw new TypeError("requestId has to be 1 to 128 letters, digits and ._:-");
  }
  const idempotencyKey = keyOf(method, options);
  const timeoutMs = checkedTimeout("timeoutMs", options.timeoutMs ?? settings.timeoutMs);
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return {
    url: `${settings.baseUrl}${path}${asked.length === 0 ? "" : `?${new URLSearchParams(asked)}`}`,
    init: {
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${settings.apiKey}`,
        "user-agent": userAgent,
        "x-request-id": requestId,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The gateway redirects nowhere; whoever does is not to be told the key.
      redirect: "manual",
    },
    requestId,
    idempotencyKey,
    signal,
    deadlineAt: time.now() + timeoutMs,
  };
}

/** Made once for a call, so that all its tries are one to the platform. */
function keyOf(method: string, { idempotencyKey }: CallOptions): string | undefined {
  if (method !== "POST" && method !== "PATCH") return undefined;
  if (idempotencyKey === undefined) return crypto.randomUUID();
  // A `null` would be the text "null": one key for whatever else has none.
  const isKey = typeof idempotencyKey === "string" && /^[ -~]{1,255}$/.test(idempotencyKey);
  if (isKey) return idempotencyKey;
  throw new TypeError("idempotencyKey has to be 1 to 255 printable ASCII characters");
}

/** One try; throws only where the caller's own signal ended it. */
async function attempt(
  { fetch, tryTimeoutMs }: ClientSettings,
  call: Call,
  time: Time,
): Promise<{ readonly data: unknown } | DisburseError> {
  const { requestId, idempotencyKey, signal } = call;
  const deadline = startDeadline(Math.min(tryTimeoutMs, call.deadlineAt - time.now()), signal);
  try {
    const response = await fetch(call.url, { ...call.init, signal: deadline.signal });
    const text = await response.text();
    return readAnswer(response, text, { requestId, idempotencyKey });
  } catch (cause) {
    signal?.throwIfAborted();
    return failure(deadline, cause, call);
  } finally {
    deadline.end();
  }
}

function failure(deadline: Deadline, cause: unknown, call: Call): DisburseError {
  const { requestId, idempotencyKey } = call;
  return deadline.isOver()
    ? new DisburseError({
        kind: "timeout",
        code: "TIMEOUT",
        message: "No answer came in time.",
        requestId,
        idempotencyKey,
      })
    : new DisburseError({
        kind: "connection",
        code: "CONNECTION_FAILED",
        message: `${new URL(call.url).origin} could not be reached, or its answer broke off.`,
        requestId,
        idempotencyKey,
        cause,
      });
}
