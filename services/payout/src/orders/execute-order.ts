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
import {
  afterRefusal,
  isOrderFailure,
  isTooDear,
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

/** What executing orders works with. */
export type OrderDeps = ExecuteDeps & { readonly orders: Orders; readonly log: Log };

/** Were quotes to expire as they are made, an order would be quoted without end. */
const requoteMs = 1_000;

/** A screening takes some seconds as a rule, or an officer's hours. */
const screeningMs = 30_000;

/**
 * Takes a leased order on as far as it goes now; `away`: a service did not answer, or failed, and
 * it is tried again later.
 *
 * An order has one quote at a time, stored before it is executed: from then on the quote decides,
 * whichever worker has it. The order fails, is cancelled or gets another quote only after its quote
 * is expired for ever, in the quote's own document, where no claim can win any more. So a worker
 * that comes back after its lease makes no second payout, nor one of an order that failed.
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
    if (isAway) deps.log.warn(fields, "order waits for a service");
    else deps.log.error(fields, "order not finished");
    return "away";
  }
}

async function takeOn(deps: OrderDeps, leased: LeasedOrder): Promise<void> {
  const { order } = leased;
  if (order.quote !== undefined) return executeQuoted(deps, leased, order.quote);
  const quote = await quoteFor(deps, order);
  if (isRefused(quote)) return settleRefusal(deps, leased, quote);
  const { budget } = leased;
  if (budget?.take(quote.source) === false) {
    return fail(deps, leased, refused("BATCH_TOTAL_EXCEEDED"));
  }
  if (!(await bindQuote(deps.orders, leased, quote))) return budget?.giveBack(quote.source);
  await executeQuoted(deps, { ...leased, order: { ...order, quote } }, quote);
}

/** The operation of an order's attempt: the same for every worker and every try. */
function operationOf({ id, attempt }: Order): string {
  return `${id}.${attempt}`;
}

/** A quote of the order's terms, once for each attempt; or why there is none. */
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
  if (isTooDear(quote, order.terms)) {
    return endQuoted(deps, leased, quote, refused("COST_ABOVE_MAXIMUM"));
  }
  const result = await execute(deps, leased, quote);
  if (!isRefused(result)) return executed(deps, leased, result.id);
  await endQuoted(deps, leased, quote, result);
}

function execute(deps: OrderDeps, { order, document, given }: LeasedOrder, quote: OrderQuote) {
  const { merchantId, terms } = order;
  const { details, allowDuplicate } = terms;
  const { _id: id, batch_id: batchId } = document;
  return executePayout(deps, {
    merchantId,
    quoteId: quote.id,
    details,
    operationId: operationOf(order),
    actor: document.actor,
    content: quote.id,
    allowDuplicate,
    given,
    ...(batchId === undefined ? { scheduledPayoutId: id } : { batchId }),
  });
}

async function executed(deps: OrderDeps, leased: LeasedOrder, payoutId: string): Promise<void> {
  await setExecuted(deps.orders, leased, payoutId);
  deps.log.debug({ order_id: leased.order.id, payout_id: payoutId }, "order executed");
}

/**
 * What a refusal makes of an order with a quote. Unless it is to be tried again as it is, its quote
 * is ended first; where it is claimed by then, another worker was faster: its payout is there.
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
    // Executed by another operation: the payout is another one's.
    return fail(deps, leased, result);
  }
  leased.budget?.giveBack(quote.source);
  if (next === "fail") return fail(deps, leased, refusal);
  await unbindQuote(deps.orders, leased);
  await defer(deps.orders, leased, requoteMs);
}

async function settleRefusal(
  deps: OrderDeps,
  leased: LeasedOrder,
  refusal: Refused<string>,
): Promise<void> {
  if (nextOf(deps, leased, refusal) === "fail") return fail(deps, leased, refusal);
  await defer(deps.orders, leased, screeningMs);
}

function nextOf({ clock }: OrderDeps, { dueAt }: LeasedOrder, { refused: code }: Refused<string>) {
  return afterRefusal(code, { dueAt, now: clock.now() });
}

async function fail(deps: OrderDeps, leased: LeasedOrder, refusal: Refused<string>): Promise<void> {
  const { refused: code, reason } = refusal;
  const detail = reason === undefined ? refusal.detail : refusalReasons[reason];
  const failure: OrderFailure = isOrderFailure(code) ? code : "INTERNAL_ERROR";
  if (!(await setFailed(deps.orders, leased, failure, detail))) return;
  deps.log.info({ order_id: leased.order.id, code: failure }, "order failed");
}

/** Ends a quote for ever; `false`: it is claimed, and its payout is there or coming. */
export function endQuote(deps: Pick<OrderDeps, "quote">, order: Order, quote: OrderQuote) {
  return expireQuote(deps, operationOf(order), quote.id);
}

/** How late an order is found whose time has come. */
const everyMs = 1_000;
/** Orders that one process executes at a time: payouts that merchants execute now come first. */
const workersMax = 4;
/** A quote and an execute take half a second; calls to services that hang end after 5 s each. */
export const orderLeaseMs = 20_000;

/** Executes the orders whose time has come, until none is left; fails those held for too long. */
export async function executeDueOrders(deps: OrderDeps): Promise<void> {
  await expireHeld(deps.orders, deps.clock.now());
  const work = async () => {
    for (;;) {
      const leased = await leaseDueOrder(deps.orders, deps.clock.now(), orderLeaseMs);
      if (leased === undefined) return;
      await executeOrder(deps, leased);
    }
  };
  // One looks; where it finds something the others help.
  const first = await leaseDueOrder(deps.orders, deps.clock.now(), orderLeaseMs);
  if (first === undefined) return;
  const others = Array.from({ length: workersMax - 1 }, work);
  await Promise.all([executeOrder(deps, first).then(work), ...others]);
}

/** Executes orders as their time comes. */
export function startOrderWorker(deps: OrderDeps & Pick<LoopOptions, "log" | "manual">): Loop {
  const run = () => executeDueOrders(deps).then(() => false);
  return startLoop({ name: "orders", everyMs, run, log: deps.log, manual: deps.manual });
}
