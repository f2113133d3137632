import type { Log } from "@disburse/chassis/log.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import {
  type Answer,
  type IdempotencyScope,
  operationIdOf,
} from "../idempotency/rules/idempotency.ts";
import {
  begin,
  end,
  findAnswer,
  type IdempotencyStore,
  type KeyRefusal,
  keepAnswer,
  runningKey,
} from "../idempotency/store.ts";
import { type PageAnswer, refusalAnswer } from "./answer.ts";

/** Marks a stored response that is returned without running the request again. */
const replayedHeader = { "Idempotent-Replayed": "true" };

/** The operation id of a request. `fingerprint` is set if the owning service compares it. */
export type OperationName = { readonly operationId: string; readonly fingerprint?: string };

/**
 * `answer` is the response to this request. `kept` is the response that is stored for replays, if
 * it differs.
 */
export type RunAnswer = { readonly answer: PageAnswer; readonly kept?: Answer };

/** A request with an idempotency key. */
type Named = { readonly scope: IdempotencyScope; readonly fingerprint: string };

type Work = (operation: OperationName) => Promise<RunAnswer>;

/**
 * Claims the key, runs the request, and settles the key. The claim ensures that only one gateway
 * runs the request at a time.
 */
export async function runClaimed(
  store: IdempotencyStore,
  { scope, fingerprint }: Named,
  log: Log,
  work: Work,
): Promise<PageAnswer> {
  const begun = await begin(store, scope, fingerprint);
  if (isRefused(begun)) return keyRefusal(begun);
  if ("replay" in begun) return replayed(begun.replay);
  const { answer, kept = answer } = await work({ operationId: operationIdOf(scope) });
  try {
    // A request with an idempotency key is never a GET, and only a GET returns a file.
    await end(store, begun.claim, kept as Answer);
  } catch (error) {
    // The request itself has run. A retry runs under the same operation id, so it has no second
    // effect.
    log.warn(
      { err: error },
      "could not store the outcome of a request under its idempotency key; a retry has no second effect",
    );
  }
  return answer;
}

/**
 * Runs a request whose service binds the key to the fingerprint. The service returns its first
 * result to a repeat, so the gateway needs no claim and stores the response in one write. If two
 * gateways run the request at once, both send the response that was stored first.
 */
export async function runBound(
  store: IdempotencyStore,
  { scope, fingerprint }: Named,
  log: Log,
  work: Work,
): Promise<PageAnswer> {
  const running = runningKey(store, scope, fingerprint);
  if (isRefused(running)) return keyRefusal(running);
  try {
    const operation = { operationId: operationIdOf(scope), fingerprint };
    const { answer, kept = answer } = await work(operation);
    const isDone = answer.status < 400;
    const storing = isDone
      ? keepAnswer(store, scope, fingerprint, kept as Answer)
      : findAnswer(store, scope, fingerprint);
    const first = await storing.catch((error: unknown): undefined => {
      // A retry gets the same result from the service.
      log.warn(
        { err: error },
        "could not store or read the response under an idempotency key; a retry gets the same result",
      );
    });
    if (first === undefined) return answer;
    return isRefused(first) ? refusalAnswer(first) : replayed(first);
  } finally {
    running.end();
  }
}

function keyRefusal(refusal: KeyRefusal): PageAnswer {
  const retryAfter = "retryAfterSeconds" in refusal && {
    "Retry-After": String(refusal.retryAfterSeconds),
  };
  return refusalAnswer(refusal, { ...retryAfter });
}

function replayed({ status, headers, body }: Answer): PageAnswer {
  return { status, headers: { ...headers, ...replayedHeader }, body };
}
