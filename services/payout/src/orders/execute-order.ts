import { forRequest, originOf } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, type LoopOptions, startLoop } from "@disburse/chassis/loop.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { refusalReasons } from "@disburse/kernel/errors.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type ExecuteDeps, executePayout } from "../execution/execute.ts";
import { expireQuote, requestQuote } from "../execution/quoting.ts";
import type { Orders } from "./document.ts";
import { expireHeld } from "./held-store.ts";
import { giveBackOf, sweepReserved } from "./reservation.ts";
import {
  afterRefusal,
  isAboveMaximum,
  isOrderFailure,
  isWaitReason,
  type Order,
  type OrderFailure,
  type OrderQuote,
} from "./rules/order.ts";
import {
  bindQuote,
  defer,
  type LeasedOrder,
  leaseDueOrder,
  setExecuted,
  setFailed,
  unbindQuote,
} from "./store.ts";
import { beginWaiting, dropPreparing, waitAgain } from "./waiting-store.ts";

export type OrderDeps = ExecuteDeps & { readonly orders: Orders; readonly log: Log };

/** The pause before an order gets a new quote. It prevents a fast loop if quotes expire at once. */
const requoteMs = 1_000;

/**
 * The pause before an order is retried whose beneficiary is in screening. A screening usually takes
 * seconds, but a review by an officer takes hours.
 */
const screeningMs = 30_000;

/** The pause before a payout that waits for balance is quoted again after a price above its maximum. */
const priceMs = 600_000;

/**
 * Advances a leased order as far as possible now. Returns `away` if a service failed or was
 * unavailable; the order is then retried later. An order has one quote at a time. The quote is
 * stored before its execution, and from then on the quote's state decides, whichever worker has the
 * order. Only after the quote has expired permanently may the order fail, be cancelled or get
 * another quote. The expiry is written to the quote's own document, so no later claim can succeed.
 * A worker that resumes after the end of its lease thus creates no second payout, and no payout for
 * a failed order.
 */
export async function executeOrder(
  deps: OrderDeps,
  leased: LeasedOrder,
): Promise<"taken on" | "away"> {
  const { order, document } = leased;
  try {
    await forRequest(originOf(document), () => takeOn(deps, leased));
    return "taken on";
  } catch (error) {
    const isAway = isUnavailable(error) || isDatabaseUnavailable(error);
    const fields = { err: error, order_id: order.id };
    if (isAway)
      deps.log.warn(
        fields,
        "order not executed: a service or database is unavailable; it will be retried",
      );
    else deps.log.error(fields, "executing an order failed; it will be retried");
    return "away";
  }
}

async function takeOn(deps: OrderDeps, leased: LeasedOrder): Promise<unknown> {
  const { order } = leased;
  if (order.wait?.isPreparing === true) return finishPreparing(deps, order);
  if (order.quote !== undefined) return executeQuoted(deps, leased, order.quote);
  if (order.wait?.hasExpired === true) return fail(deps, leased, refused(order.wait.reason));
  const quote = await quoteFor(deps, order);
  if (isRefused(quote)) return settleRefusal(deps, leased, quote);
  const { budget } = leased;
  if (budget?.take(quote.source) === false) {
    return fail(deps, leased, refused("BATCH_TOTAL_EXCEEDED"));
  }
  if (!(await bindQuote(deps.orders, leased, quote))) return budget?.giveBack(quote.source);
  await executeQuoted(deps, { ...leased, order: { ...order, quote } }, quote);
}

/**
 * Returns the operation of an order's attempt. All workers and retries of the same attempt use the
 * same operation.
 */
function operationOf({ id, attempt }: Order): string {
  return `${id}.${attempt}`;
}

/** Creates one quote per attempt, or returns the refusal. */
function quoteFor(deps: OrderDeps, order: Order): Promise<OrderQuote | Refused<string>> {
  const { terms, merchantId } = order;
  const { fixed, amount, source, destination, accountId, beneficiaryId } = terms;
  return requestQuote(deps, operationOf(order), {
    merchantId,
    accountId,
    beneficiaryId,
    source,
    destination,
    fixed,
    amount,
  });
}

async function executeQuoted(deps: OrderDeps, leased: LeasedOrder, quote: OrderQuote) {
  const { order } = leased;
  const { wait } = order;
  if (wait?.hasExpired === true) return endQuoted(deps, leased, quote, refused(wait.reason));
  if (isAboveMaximum(quote, order.terms)) {
    return endQuoted(deps, leased, quote, refused("COST_ABOVE_MAXIMUM"));
  }
  const result = await execute(deps, leased, quote);
  if (!isRefused(result)) return executed(deps, leased, result.id);
  await endQuoted(deps, leased, quote, result);
}

function execute(deps: OrderDeps, { order, document, given }: LeasedOrder, quote: OrderQuote) {
  const { merchantId, terms, wait } = order;
  const { details, allowDuplicate } = terms;
  const { _id: id, batch_id: batchId } = document;
  const waited = wait && { payoutId: id, attempt: order.attempt, since: wait.since };
  const origin = batchId === undefined ? { scheduledPayoutId: id } : { batchId };
  return executePayout(deps, {
    merchantId,
    quoteId: quote.id,
    details,
    operationId: operationOf(order),
    actor: document.actor,
    content: quote.id,
    allowDuplicate,
    given,
    reservedFor: document.reserve && id,
    ...(waited === undefined ? origin : { waited }),
  });
}

async function executed(deps: OrderDeps, leased: LeasedOrder, payoutId: string): Promise<void> {
  await setExecuted(deps.orders, leased, payoutId);
  await giveBackLeased(deps, leased);
  deps.log.debug({ order_id: leased.order.id, payout_id: payoutId }, "order executed");
}

/**
 * Handles a refusal of an order with a quote. Unless the order only waits for a screening, this
 * expires the quote first. If the quote is already claimed, another worker has executed it and the
 * payout exists.
 */
async function endQuoted(
  deps: OrderDeps,
  leased: LeasedOrder,
  quote: OrderQuote,
  refusal: Refused<string>,
): Promise<void> {
  const next = nextOf(deps, leased, refusal);
  if (next === "wait") return defer(deps.orders, leased, screeningMs);
  if (!(await endQuote(deps, leased.order, quote))) {
    const result = await execute(deps, leased, quote);
    if (!isRefused(result)) return executed(deps, leased, result.id);
    // Another operation executed the quote, so the payout doesn't belong to this order.
    return fail(deps, leased, result);
  }
  leased.budget?.giveBack(quote.source);
  if (next === "fail") return fail(deps, leased, refusal);
  if (next === "wait again") return settleWait(deps, leased, refusal, quote);
  await unbindQuote(deps.orders, leased);
  if (next === "queue") return leased.onShort?.(quote.source);
  await defer(deps.orders, leased, requoteMs);
}

async function settleRefusal(
  deps: OrderDeps,
  leased: LeasedOrder,
  refusal: Refused<string>,
): Promise<void> {
  const next = nextOf(deps, leased, refusal);
  if (next === "fail") return fail(deps, leased, refusal);
  if (next === "wait again") return settleWait(deps, leased, refusal, undefined);
  await defer(deps.orders, leased, screeningMs);
}

function nextOf(
  { clock }: OrderDeps,
  { dueAt, order, onShort }: LeasedOrder,
  { refused: code }: Refused<string>,
) {
  const mayQueue = onShort !== undefined;
  return afterRefusal(code, { dueAt, now: clock.now(), wait: order.wait, mayQueue });
}

/**
 * Lets a payout wait again for balance, a lower price or the screening of its beneficiary. Its quote
 * must have ended.
 */
async function settleWait(
  deps: OrderDeps,
  leased: LeasedOrder,
  { refused: reason }: Refused<string>,
  quote: OrderQuote | undefined,
): Promise<void> {
  if (!isWaitReason(reason)) throw new Error(`a payout does not wait after ${reason}`);
  const againMs = reason === "COST_ABOVE_MAXIMUM" ? priceMs : screeningMs;
  await waitAgain(deps.orders, leased, { reason, quote, againMs });
}

/**
 * Ends the quote of an execute that had too little money, so that its payout can begin to wait.
 * Returns `false` if another operation has claimed the quote. Nothing then waits.
 */
export async function finishPreparing(
  deps: Pick<OrderDeps, "orders" | "quote">,
  order: Order,
): Promise<boolean> {
  const { quote } = order;
  if (quote === undefined) throw new Error("a payout that begins to wait has no quote");
  const isEnded = await endQuote(deps, order, quote);
  if (isEnded) await beginWaiting(deps.orders, order.id);
  else await dropPreparing(deps.orders, order.id);
  return isEnded;
}

async function fail(deps: OrderDeps, leased: LeasedOrder, refusal: Refused<string>): Promise<void> {
  const { refused: code, reason } = refusal;
  const detail = reason === undefined ? refusal.detail : refusalReasons[reason];
  const failure: OrderFailure = isOrderFailure(code) ? code : "INTERNAL_ERROR";
  if (!(await setFailed(deps.orders, leased, failure, detail))) return;
  await giveBackLeased(deps, leased);
  deps.log.info({ order_id: leased.order.id, code: failure }, "order failed");
}

/** Gives back the rest of a reservation at once. If this fails, the sweep does it. */
async function giveBackLeased(deps: OrderDeps, { document }: LeasedOrder): Promise<void> {
  if (document.reserve !== undefined) await giveBackOf(deps, document._id);
}

/**
 * Expires a quote permanently. Returns `false` if the quote is already claimed, so its payout
 * exists or will be created.
 */
export function endQuote(deps: Pick<OrderDeps, "quote">, order: Order, quote: OrderQuote) {
  return expireQuote(deps, operationOf(order), quote.id);
}

/** The interval of polls, and thus the longest delay of a due order. */
const everyMs = 1_000;
/**
 * The maximum number of orders that one process executes concurrently. Direct payouts have
 * priority.
 */
const workersMax = 4;
/**
 * The lease of an order. A quote and an execute normally take half a second. A call to a service
 * that hangs times out after 5 s.
 */
export const orderLeaseMs = 20_000;

/** Executes all due orders. Fails orders whose approval has expired. */
export async function executeDueOrders(deps: OrderDeps): Promise<void> {
  await expireHeld(deps.orders, deps.clock.now());
  await sweepReserved(deps, deps.clock.now());
  const work = async () => {
    for (;;) {
      const leased = await leaseDueOrder(deps.orders, deps.clock.now(), orderLeaseMs);
      if (leased === undefined) return;
      await executeOrder(deps, leased);
    }
  };
  // One worker polls first. The others start only if it finds an order.
  const first = await leaseDueOrder(deps.orders, deps.clock.now(), orderLeaseMs);
  if (first === undefined) return;
  const others = Array.from({ length: workersMax - 1 }, work);
  await Promise.all([executeOrder(deps, first).then(work), ...others]);
}

export function startOrderWorker(deps: OrderDeps & Pick<LoopOptions, "log" | "manual">): Loop {
  const run = () => executeDueOrders(deps).then(() => false);
  return startLoop({ name: "orders", everyMs, run, log: deps.log, manual: deps.manual });
}
