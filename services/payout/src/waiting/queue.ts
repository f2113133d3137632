import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import type { PublicRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type ExecuteDeps, type ExecuteRequest, executePayout } from "../execution/execute.ts";
import { readQuote } from "../execution/reads.ts";
import {
  type SentWaitingLimits,
  type WaitingLimits,
  waitingLimits,
} from "../execution/rules/waiting-limits.ts";
import { type Orders, toOrder } from "../orders/document.ts";
import { finishPreparing } from "../orders/execute-order.ts";
import { payoutIdOf } from "../payouts/rules/payout.ts";
import { type WaitingDocument, waitingDocument } from "./document.ts";
import { findWaiting, markAccount } from "./store.ts";

export type QueueDeps = ExecuteDeps & { readonly waiting: Orders };

/** The request's fields for a payout that may wait. Absent texts are "". */
export type Queueing = SentWaitingLimits & { readonly queueIfLowBalance: boolean };

/** The payout, and its record if it waits. */
export type Accepted = { readonly payoutId: string; readonly waiting?: WaitingDocument };

type Queued = Accepted | Refused<PublicRefusal>;

/** Executes a quote. If the request says so, a payout with too little money waits for it. */
export async function executeOrWait(
  deps: QueueDeps,
  request: ExecuteRequest,
  queueing: Queueing,
): Promise<Queued> {
  if (!queueing.queueIfLowBalance) return executeOnly(deps, request);
  const before = await findQueued(deps, request);
  if (before !== undefined) return before;
  const limits = await readLimits(deps, request, queueing);
  if (isRefused(limits)) return limits;
  const result = await executePayout(deps, { ...request, mayWait: true });
  if (!isRefused(result)) return { payoutId: result.id };
  if (result.refused !== "INSUFFICIENT_BALANCE") return (await findQueued(deps, request)) ?? result;
  return queue(deps, request, limits);
}

/** A quote whose payout waits has ended. Its repeated execute finds the payout. */
async function executeOnly(deps: QueueDeps, request: ExecuteRequest): Promise<Queued> {
  const result = await executePayout(deps, request);
  if (!isRefused(result)) return { payoutId: result.id };
  const isEnded = result.refused === "QUOTE_EXPIRED";
  return (isEnded ? await findQueued(deps, request) : undefined) ?? result;
}

/** Reads the limits of the wait. The quote is read only if they depend on it. */
async function readLimits(
  deps: QueueDeps,
  { quoteId, merchantId }: ExecuteRequest,
  queueing: Queueing,
): Promise<WaitingLimits | Refused<PublicRefusal>> {
  const read = queueing.maxSourceAmount === "" ? undefined : await readQuote(deps, quoteId);
  return waitingLimits(queueing, read, merchantId, deps.clock.now());
}

/**
 * Lets a payout wait. Its record is stored before its quote is ended, and shown afterwards. After a
 * crash in between, a repeat or the worker continues.
 */
async function queue(
  deps: QueueDeps,
  request: ExecuteRequest,
  { maxSource, expiresAt }: WaitingLimits,
): Promise<Queued> {
  const read = await readQuote(deps, request.quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const { accountId, executable } = read;
  const now = deps.clock.now();
  const wait = {
    quoted: read.quoted(request.details, now),
    maxSource: maxSource ?? executable.sourceMinor,
    expiresAt,
  };
  await markAccount(deps.ledger, accountId);
  const document = waitingDocument(request, wait, now);
  await insertOrFind(deps.waiting, document, { _id: document._id });
  // Without a record, the quote was claimed meanwhile: by this operation, or by another one.
  return (await findQueued(deps, request)) ?? executeOnly(deps, request);
}

/**
 * Returns the payout of a quote if it waits or has waited. Refuses another operation, and another
 * request of the same one.
 */
async function findQueued(deps: QueueDeps, request: ExecuteRequest): Promise<Queued | undefined> {
  const { waiting, quote } = deps;
  const { merchantId, operationId, content } = request;
  const payoutId = payoutIdOf(request);
  const read = () => findWaiting(waiting, payoutId, merchantId);
  let found = await read();
  if (found?.balance.preparing === true) {
    await finishPreparing({ orders: waiting, quote }, toOrder(found));
    found = await read();
  }
  if (found === undefined) return undefined;
  if (found.operation_id !== operationId) return { ...refused("ALREADY_PROCESSED"), payoutId };
  if (found.balance.content !== content) return otherContent;
  return found.state === "executed" ? { payoutId } : { payoutId, waiting: found };
}
