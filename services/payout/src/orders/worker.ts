import { type Loop, type LoopOptions, startLoop } from "@disburse/chassis/loop.ts";
import { executeOrder, type OrderDeps } from "./execute-order.ts";
import { expireHeld } from "./held-store.ts";
import { leaseDueOrder } from "./store.ts";

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
