import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { WrongAnswerError } from "./answers.ts";

/** A request and the check of its answer; `check` returns what was created, or throws. */
export type Exchange<Made = unknown> = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly check: (text: string) => Made;
};

/** Sizes of a request and its answer. */
export type Sizes = {
  readonly method: "GET" | "POST";
  readonly requestBytes: number;
  readonly answerBytes: number;
};

/** Answers that the senders of one run have seen. */
export type Seen = { unavailable: number; last: Sizes };

/** Sends a request and returns what its checked answer created. */
export type Send = <Made>(exchange: Exchange<Made>) => Promise<Made>;

/** Nothing seen yet. */
export function newSeen(): Seen {
  return { unavailable: 0, last: { method: "GET", requestBytes: 0, answerBytes: 0 } };
}

/** The platform may be unavailable to one request for this long; then the bench ends. */
const unavailableMaxMs = 30_000;
/** The pause after a 503 without `Retry-After`. */
const retryAfterMs = 100;
/** The most requests that are in flight at once in a closed loop. */
const connectionsMax = 64;
const pools = new Map<string, Pool>();

/**
 * Returns a function that sends one merchant's requests. Each POST has an idempotency key. After a
 * 503 it counts it, waits and sends the same request with the same key, as a merchant should.
 */
export function senderOf(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  seen: Seen,
): Send {
  const pool = pools.getOrInsertComputed(new URL(baseUrl).origin, (origin) => {
    return new Pool(origin, { connections: connectionsMax });
  });
  const authorization = `Bearer ${apiKey}`;
  return async ({ method, path, body, check }) => {
    const json = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    const headers = body === undefined ? { authorization } : { authorization, ...json };
    const giveUpAt = performance.now() + unavailableMaxMs;
    for (;;) {
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const text = await answer.body.text();
      if (answer.statusCode === 200) {
        seen.last = { method, requestBytes: body?.length ?? 0, answerBytes: text.length };
        return check(text);
      }
      if (answer.statusCode !== 503 || performance.now() > giveUpAt) {
        throw new WrongAnswerError(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
      }
      seen.unavailable += 1;
      await pause(Number(answer.headers["retry-after"] ?? 0) * 1_000 || retryAfterMs);
    }
  };
}
