import type { DisburseError } from "./disburse-error.ts";

/** The first wait is at most this long; it covers a restart of a load balancer's target. */
const firstWaitMs = 250;
/** No wait of our own is longer; what the platform asks for may be. */
const longestWaitMs = 8_000;

/** Answers behind which the same request may succeed a little later. */
const passing: readonly number[] = [429, 500, 502, 503, 504];

/**
 * Whether the same request may be sent again and be worth it. Every request of the SDK is safe to
 * repeat: it reads, it deletes, or it carries an idempotency key.
 */
export function isWorthRetrying(error: Pick<DisburseError, "kind" | "code" | "status">): boolean {
  const { kind, status } = error;
  if (kind === "connection" || kind === "timeout") return true;
  if (status === 409) return isUnderWay(error);
  return status !== undefined && passing.includes(status);
}

/**
 * Whether an earlier try still runs. After a crash of the gateway its key is held for 30 s: to wait
 * for that is no failure, so it counts as no retry, and ends with the call's own time.
 */
export function isUnderWay({ code, status }: Pick<DisburseError, "code" | "status">): boolean {
  return status === 409 && code === "IDEMPOTENCY_IN_PROGRESS";
}

/**
 * How long to wait before a retry, the first being 1: somewhere between nothing and a bound that
 * doubles, so that many callers do not come back at once; and never less than the platform asks.
 */
export function retryWaitMs(retry: number, retryAfterSeconds: number, random: number): number {
  const bound = Math.min(longestWaitMs, firstWaitMs * 2 ** (retry - 1));
  return retryAfterSeconds * 1_000 + Math.floor(bound * random);
}
