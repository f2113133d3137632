import type { ErrorBody } from "./problem.ts";
import { Problem } from "./problem.ts";

/** How long a request may take; then the console says that it does not know the outcome. */
const timeoutMs = 30_000;

let csrfToken = "";
/** The merchant that the page was opened for; undefined until a session is read. */
let merchantOfPage: string | undefined;

/**
 * Every later request that changes something carries this token of the session. A session that was
 * switched to another merchant, in another tab, opens the first page anew: forms that were opened
 * for one merchant are never sent for another.
 */
export async function adoptSession(merchantId: string, token: string): Promise<void> {
  merchantOfPage ??= merchantId;
  if (merchantId !== merchantOfPage) await leavePage();
  csrfToken = token;
}

/** Opens the first page; never ends, so that nothing more happens on this one. */
export function leavePage(): Promise<never> {
  window.location.assign("/console/");
  return new Promise(() => undefined);
}

/** The token of the session, for calls that are not made by `send`. */
export function currentCsrfToken(): string {
  return csrfToken;
}

/** Parameters of a query; those that are empty or undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is sent beside method and path. */
export type Sent = {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** A file in place of a body. */
  readonly csv?: string;
  /** Of one attempt of a person to change something: a repeat has the same key. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

/** Path with its query. */
export function addressOf(path: string, query: Query = {}): string {
  const known = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}

/** Reads a public route; answers its `data`. Amounts are text. */
export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  send<T>("GET", path, { query, ...(signal === undefined ? {} : { signal }) });

/**
 * Sends a request under the session's cookie; answers its `data`. Throws a `Problem` for every
 * other answer, and for none.
 */
export async function send<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
  const isRead = method === "GET";
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(addressOf(path, sent.query), {
    method,
    credentials: "same-origin",
    signal: sent.signal === undefined ? timeout : AbortSignal.any([timeout, sent.signal]),
    headers: {
      Accept: "application/json",
      "Disburse-Amounts": "string",
      ...(isRead ? {} : { "X-CSRF-Token": csrfToken }),
      ...contentType(sent),
      ...(sent.idempotencyKey === undefined ? {} : { "Idempotency-Key": sent.idempotencyKey }),
    },
    ...contentOf(sent),
  }).catch((error: unknown) => {
    if (sent.signal?.aborted) throw error;
    throw Problem.noAnswer(error);
  });
  // What another merchant has is not shown below this one's name.
  const merchantId = response.headers.get("Disburse-Merchant");
  if (merchantId !== null && merchantId !== merchantOfPage) await leavePage();
  const answer = await bodyOf(response);
  const requestId = response.headers.get("X-Request-Id") ?? "";
  if (!response.ok) throw Problem.of(response.status, answer as Partial<ErrorBody>, requestId);
  return (answer as { data: T }).data;
}

function contentType({ body, csv }: Sent): Record<string, string> {
  if (csv !== undefined) return { "Content-Type": "text/csv" };
  return body === undefined ? {} : { "Content-Type": "application/json" };
}

function contentOf({ body, csv }: Sent): { body?: string } {
  if (csv !== undefined) return { body: csv };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    if (response.ok) throw Problem.noAnswer(error);
    return {};
  }
}

/** A key of one attempt: 128 random bits. Works on pages without https too. */
export function attemptKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
