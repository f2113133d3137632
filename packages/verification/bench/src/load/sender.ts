import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { WrongAnswerError } from "./answers.ts";

/**
 * A request (a POST if it has a body) with its check, which returns the created record or throws.
 */
type Exchange<Made> = {
  readonly path: string;
  readonly body?: object | string | undefined;
  readonly check: (text: string) => Made;
};

/** Sends a request and returns the record from its checked answer. */
export type Send = <Made>(exchange: Exchange<Made>) => Promise<Made>;

/** Counts one run's answers with 503 and records the sizes of its last request. */
export type Seen = ReturnType<typeof newSeen>;

export function newSeen() {
  return { unavailable: 0, last: { isGet: true, requestBytes: 0, answerBytes: 0 } };
}

/** The bench fails if one request stays unavailable for longer. */
const unavailableMaxMs = 30_000;
/** The pause after a 503 without `Retry-After`. */
const retryAfterMs = 100;
const connectionsMax = 64;
const pools = new Map<string, Pool>();

/**
 * Returns a function that sends one merchant's requests. Each POST has an idempotency key. After a
 * 503, the function counts the response, waits and repeats the request with the same key, as a
 * merchant should.
 */
export function senderOf(baseUrl: string, apiKey: string, seen: Seen): Send {
  const { origin, pathname } = new URL(baseUrl);
  const pool = pools.getOrInsertComputed(origin, () => {
    return new Pool(origin, { connections: connectionsMax });
  });
  const authorization = `Bearer ${apiKey}`;
  return async ({ path: relative, body: given, check }) => {
    const isGet = given === undefined;
    const method = isGet ? "GET" : "POST";
    const path = `${pathname === "/" ? "" : pathname}${relative}`;
    const body = typeof given === "object" ? JSON.stringify(given) : given;
    const json = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    const headers = isGet ? { authorization } : { authorization, ...json };
    const giveUpAt = performance.now() + unavailableMaxMs;
    for (;;) {
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const text = await answer.body.text();
      if (answer.statusCode === 200) {
        seen.last = { isGet, requestBytes: body?.length ?? 0, answerBytes: text.length };
        return check(text);
      }
      if (answer.statusCode !== 503 || performance.now() > giveUpAt) {
        throw new WrongAnswerError(
          `${method} ${path}: HTTP status ${answer.statusCode} ${text.slice(0, 500)}`,
        );
      }
      seen.unavailable += 1;
      await pause(Number(answer.headers["retry-after"] ?? 0) * 1_000 || retryAfterMs);
    }
  };
}
