import { type ErrorBody, Problem } from "./problem.ts";

/** After this time the console reports an unknown outcome. */
const timeoutMs = 30_000;

let csrfToken = "";
/** The person and merchant for whom the page was opened; undefined until the session is read. */
let personOfPage: string | undefined;
let merchantOfPage: string | undefined;

/**
 * Sets the session's CSRF token for later changes. If the session is now another person's or
 * another merchant's, reloads the first page, so that a form opened for one merchant is never sent
 * for another.
 */
export async function adoptSession(session: {
  personId: string;
  merchantId: string;
  token: string;
}): Promise<void> {
  const { personId, merchantId, token } = session;
  personOfPage ??= personId;
  merchantOfPage ??= merchantId;
  if (personId !== personOfPage || merchantId !== merchantOfPage) await leavePage();
  csrfToken = token;
}

/** Opens the first page. The promise never settles, so nothing else happens on the current page. */
export function leavePage(): Promise<never> {
  window.location.assign("/console/");
  return new Promise(() => undefined);
}

/** Returns the session's CSRF token, for calls that don't use `send`. */
export function currentCsrfToken(): string {
  return csrfToken;
}

/** Query parameters; empty and undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type Sent = {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Identifies one attempt of a person to make a change. A retry uses the same key. */
  readonly idempotencyKey?: string;
  /** Returns the effect that the request would have. Changes nothing. */
  readonly isDryRun?: true;
  readonly signal?: AbortSignal | undefined;
};

/** Returns the entries with a value, as text. */
const knownOf = (values: Query) =>
  Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );

export function addressOf(path: string, query: Query = {}): string {
  const known = knownOf(query);
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}

/** Reads a public route and returns its `data`; amounts are text. */
export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  send<T>("GET", path, { query, signal });

/** Reads a file of a public route. */
export const getText = (path: string): Promise<string> => send<string>("GET", path);

/** Sends a change. The idempotency key identifies a person's attempt. */
export const post = <T = unknown>(path: string, body: object, idempotencyKey: string) =>
  send<T>("POST", path, { body, idempotencyKey });

/**
 * Sends a request with the session's cookie and returns its `data`. Throws a `Problem` for any
 * error response and for a missing response.
 */
export async function send<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
  const { query, body, idempotencyKey, isDryRun, signal } = sent;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = {
    Accept: "application/json",
    "Disburse-Amounts": "string",
    "X-CSRF-Token": method === "GET" ? undefined : csrfToken,
    "Content-Type": body === undefined ? undefined : "application/json",
    "Disburse-Dry-Run": isDryRun,
    "Idempotency-Key": idempotencyKey,
  };
  const response = await fetch(addressOf(path, query), {
    method,
    credentials: "same-origin",
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    headers: knownOf(headers),
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw Problem.noAnswer(error);
  });
  // Never show another merchant's data under this merchant's name.
  const merchantId = response.headers.get("Disburse-Merchant");
  if (merchantId !== null && merchantId !== merchantOfPage) await leavePage();
  const answer = await bodyOf(response);
  const requestId = response.headers.get("X-Request-Id") ?? "";
  if (!response.ok) throw Problem.of(response.status, answer as Partial<ErrorBody>, requestId);
  return (answer as { data: T }).data;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const isFile = response.headers.get("Content-Type")?.startsWith("text/csv");
  if (response.ok && isFile) return { data: text };
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    if (response.ok) throw Problem.noAnswer(error);
    return {};
  }
}

/**
 * Returns 128 random bits as text. Unlike `crypto.randomUUID`, this also works on pages without
 * https.
 */
export function attemptKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
