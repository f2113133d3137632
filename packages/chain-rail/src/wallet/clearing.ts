import type { Log } from "@disburse/chassis/log.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { Preflight } from "@disburse/rail/rail.ts";
import { advanceEach } from "./advance-each.ts";

/**
 * Returns the transfers that can be paid now, in order. `refuse` ends one that never can. Skips
 * transfers without an order.
 */
export async function clearEach<Transfer extends { readonly _id: string }>(
  deps: { readonly log: Log },
  transfers: readonly Transfer[],
  clearanceOf: (transfer: Transfer) => Promise<Preflight> | undefined,
  refuse: (transfer: Transfer, failure: Failure) => Promise<void>,
): Promise<Transfer[]> {
  const cleared = new Set<Transfer>();
  await advanceEach(deps, transfers, async (transfer) => {
    const clearance = await clearanceOf(transfer);
    if (clearance?.kind === "ok") cleared.add(transfer);
    if (clearance?.kind === "refuse") await refuse(transfer, clearance.failure);
    if (clearance?.kind !== "wait") return;
    const { reason } = clearance;
    deps.log.debug({ payout_id: transfer._id, reason }, "a blockchain transfer waits");
  });
  return transfers.filter((each) => cleared.has(each));
}
