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
  keepAnswer,
  runningKey,
} from "../idempotency/store.ts";
import { type PageAnswer, refusalAnswer } from "./answer.ts";

/** Says on a replayed answer that nothing was done again. */
const replayedHeader = { "Idempotent-Replayed": "true" };

/** How the owning service names and compares an operation. */
export type OperationName = { readonly operationId: string; readonly fingerprint?: string };

/** What is answered, and what is stored for a replay where that is not the same. */
export type RunAnswer = { readonly answer: PageAnswer; readonly kept?: Answer };

/** A request under an idempotency key. */
type Named = { readonly scope: IdempotencyScope; readonly fingerprint: string };

type Work = (operation: OperationName) => Promise<RunAnswer>;

/**
 * Runs a request once under its key, which is claimed before and settled after: one runs at a time,
 * whichever gateway gets it.
 */
export async function runClaimed(
  store: IdempotencyStore,
  { scope, fingerprint }: Named,
  log: Log,
  work: Work,
): Promise<PageAnswer> {
  const begun = await begin(store, scope, fingerprint);
  if (isRefused(begun)) return refusalAnswer(begun);
  if ("replay" in begun) return replayed(begun.replay);
  const { answer, kept = answer } = await work({ operationId: operationIdOf(scope) });
  try {
    // Only a GET answers with a file.
    await end(store, begun.claim, kept as Answer);
  } catch (error) {
    // The effect is done and its answer true: the next try runs under the same operation id.
    log.warn({ err: error }, "idempotency key could not be settled");
  }
  return answer;
}

/**
 * Runs a request whose service binds the key to the fingerprint, and answers a repeat from what it
 * made: the gateway stores the answer, in one write. Of runs at different gateways at once the
 * answer that is stored first is every one's.
 */
export async function runBound(
  store: IdempotencyStore,
  { scope, fingerprint }: Named,
  log: Log,
  work: Work,
): Promise<PageAnswer> {
  const running = runningKey(store, scope, fingerprint);
  if (isRefused(running)) return refusalAnswer(running);
  try {
    const operation = { operationId: operationIdOf(scope), fingerprint };
    const { answer, kept = answer } = await work(operation);
    const isDone = answer.status < 400;
    const find = isDone
      ? keepAnswer(store, scope, fingerprint, kept as Answer)
      : findAnswer(store, scope, fingerprint);
    const first = await find.catch((error: unknown): undefined => {
      // What was done is done, and its service answers the next try.
      log.warn({ err: error }, "answer under an idempotency key not stored or read");
    });
    return isRefused(first) ? refusalAnswer(first) : first === undefined ? answer : replayed(first);
  } finally {
    running.end();
  }
}

function replayed({ status, headers, body }: Answer): PageAnswer {
  return { status, headers: { ...headers, ...replayedHeader }, body };
}
