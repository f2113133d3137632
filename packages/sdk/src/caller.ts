import { type ClientSettings, checkedTimeout } from "./client-options.ts";
import { DisburseError, type Violation } from "./disburse-error.ts";
import { isObject, parseExactJson } from "./exact-json.ts";
import { type Deadline, realTime, startDeadline, type Time } from "./time.ts";

/** Version of the package, the same as in package.json. */
export const version = "0.1.0";

/** Names the program's library in the platform's logs. */
export const userAgent = `disburse-sdk/${version} node/${process.versions.node}`;

/** Options of a single call. */
export type CallOptions = {
  /**
   * Key of what a POST or PATCH does, 1 to 255 printable ASCII characters: the same key and body
   * within 30 days do it once. One is made where none is given; give your own where the call may be
   * repeated by another process, or after a crash. A GET or DELETE takes none.
   */
  readonly idempotencyKey?: string | undefined;
  /** `X-Request-Id` of all tries: 1 to 128 of letters, digits and `._-`; one is made else. */
  readonly requestId?: string | undefined;
  /** Ends the call: it then rejects with the signal's reason. What was sent may still happen. */
  readonly signal?: AbortSignal | undefined;
  /** Bounds this call, retries and waits included, in milliseconds; the client's own else. */
  readonly timeoutMs?: number | undefined;
};

/**
 * A value of a query; an object of texts is sent as `name[key]=value` for each key, a list as
 * `name[]=value` for each value.
 */
type QueryValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** The request of one operation. */
export type ApiRequest = {
  readonly method: string;
  /** From `/api/v1` on, its ids encoded. */
  readonly path: string;
  /** What is `undefined` is not sent. */
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  readonly body?: object;
};

/** Sends requests, with retries, for the resources of the client. */
export type Caller = ReturnType<typeof createCaller>;

function queryPairs(name: string, value: QueryValue | undefined): string[][] {
  if (value === undefined) return [];
  if (typeof value !== "object") return [[name, String(value)]];
  if (Array.isArray(value)) return value.map((each) => [`${name}[]`, String(each)]);
  return Object.entries(value).map(([key, each]) => [`${name}[${key}]`, String(each)]);
}

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
export function createCaller(settings: ClientSettings, time: Time = realTime) {
  return {
    /**
     * Resolves with what the answer holds under `data`, and rejects with a `DisburseError`, with
     * the reason of the caller's signal, or with a `TypeError` where an option cannot be.
     */
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
  const asked = Object.entries(query).flatMap(([name, value]) => queryPairs(name, value));
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
      // The gateway never redirects; the key must not follow a redirect elsewhere.
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
  const { signal } = call;
  const deadline = startDeadline(Math.min(tryTimeoutMs, call.deadlineAt - time.now()), signal);
  try {
    const response = await fetch(call.url, { ...call.init, signal: deadline.signal });
    const text = await response.text();
    return readAnswer(response, text, call);
  } catch (cause) {
    signal?.throwIfAborted();
    return failure(deadline, cause, call);
  } finally {
    deadline.end();
  }
}

function failure(
  deadline: Deadline,
  cause: unknown,
  { url, requestId, idempotencyKey }: Call,
): DisburseError {
  const call = { requestId, idempotencyKey };
  if (deadline.isOver()) {
    const message = "No answer came in time.";
    return new DisburseError({ kind: "timeout", code: "TIMEOUT", message, ...call });
  }
  const message = `${new URL(url).origin} could not be reached, or its answer broke off.`;
  const failed = { kind: "connection", code: "CONNECTION_FAILED", message } as const;
  return new DisburseError({ ...failed, cause, ...call });
}

/** The data of a success, or the error. */
function readAnswer(
  { status, headers }: Pick<Response, "status" | "headers">,
  text: string,
  { requestId, idempotencyKey }: Call,
): { readonly data: unknown } | DisburseError {
  const body = jsonOf(text);
  if (status === 200 && isObject(body) && "data" in body) return { data: body.data };
  const known = {
    status,
    requestId: headers.get("x-request-id") ?? requestId,
    idempotencyKey,
    retryAfterSeconds: retryAfterSeconds(headers),
  };
  if (status >= 400 && isObject(body)) {
    const { code, message } = body;
    if (typeof code === "string" && typeof message === "string") {
      const more = {
        violations: violationsIn(body.violations),
        reason: textIn(body.reason),
        payoutId: textIn(body.payout_id),
      };
      return new DisburseError({ kind: "refused", code, message, ...more, ...known });
    }
  }
  // The text may be anybody's, so no message quotes it.
  const message = `An answer with status ${status} is not the platform's.`;
  return new DisburseError({ kind: "answer", code: "UNEXPECTED_ANSWER", message, ...known });
}

/** The fields that an error names; what has another form is left out. */
function violationsIn(value: unknown): readonly Violation[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    if (!isObject(each)) return [];
    const { field, rule, message } = each;
    const isViolation = [field, rule, message].every((text) => typeof text === "string");
    return isViolation ? [{ field, rule, message } as Violation] : [];
  });
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // No JSON, or nested deeper than a stack can be: either way not the platform's.
    return undefined;
  }
}

/** The platform sends seconds. A proxy may send a date: then our own backoff decides. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const seconds = headers.get("retry-after")?.trim() ?? "";
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
}

/** The first wait is at most this long; it covers a restart of a load balancer's target. */
const firstWaitMs = 250;
/** The longest backoff of our own; `Retry-After` may be longer. */
const longestWaitMs = 8_000;

/** Answers behind which the same request may succeed a little later. */
const passing: readonly number[] = [429, 500, 502, 503, 504];

/**
 * Whether the same request may be sent again and be worth it. Every request of the SDK is safe to
 * repeat: it reads, it deletes, or it carries an idempotency key.
 */
function isWorthRetrying(error: Pick<DisburseError, "kind" | "code" | "status">): boolean {
  const { kind, status } = error;
  if (kind === "connection" || kind === "timeout") return true;
  if (status === 409) return isUnderWay(error) || error.code === "BENEFICIARY_NOT_READY";
  return status !== undefined && passing.includes(status);
}

/**
 * Whether an earlier try still runs. After a crash of the gateway its key is held for 30 s: to wait
 * for that is no failure, so it counts as no retry, and ends with the call's own time.
 */
function isUnderWay({ code, status }: Pick<DisburseError, "code" | "status">): boolean {
  return status === 409 && code === "IDEMPOTENCY_IN_PROGRESS";
}

/**
 * How long to wait before a retry, the first being 1: exponential backoff with full jitter, on top
 * of the platform's `Retry-After`.
 */
function retryWaitMs(retry: number, retryAfterSeconds: number, random: number): number {
  const bound = Math.min(longestWaitMs, firstWaitMs * 2 ** (retry - 1));
  return retryAfterSeconds * 1_000 + Math.floor(bound * random);
}
