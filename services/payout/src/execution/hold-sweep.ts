import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { OpenHold } from "../ledger/documents.ts";
import { claimAndCreate, type ExecuteDeps } from "./execute.ts";

/** A running execute is done by then; after it a hold without a payout is taken over. */
const orphanedAfterMs = 5_000;

/**
 * Takes each hold that has no payout through claim and create, or releases it: what a crash, a
 * stall or an unreachable quote service left. Safe beside running executes and other sweeps.
 */
export async function sweepHolds(deps: ExecuteDeps & { readonly log: Log }): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - orphanedAfterMs);
  for await (const { accountId, merchantId, holds } of deps.accounts.openHolds(before)) {
    const existing = await deps.payouts.existing(holds.map((each) => each.payout_id));
    const made = holds.filter((each) => existing.has(each.payout_id));
    if (made.length > 0) {
      await deps.accounts.closeHolds(
        accountId,
        made.map(({ payout_id }) => payout_id),
      );
    }
    for (const orphan of holds.filter((each) => !existing.has(each.payout_id))) {
      const { request_id: requestId } = orphan.intent;
      await forRequest(requestId, () => finish(deps, accountId, merchantId, orphan));
    }
  }
}

async function finish(
  deps: ExecuteDeps & { readonly log: Log },
  accountId: string,
  merchantId: string,
  { intent, payout_id }: OpenHold,
): Promise<void> {
  try {
    const outcome = await claimAndCreate(deps, accountId, {
      merchantId,
      quoteId: intent.quote_id,
      referenceId: intent.reference_id,
      operationId: intent.operation_id,
      actor: intent.actor,
    });
    const event = isRefused(outcome) ? "orphaned hold released" : "orphaned hold completed";
    deps.log.warn({ payout_id }, event);
  } catch (error) {
    if (isUnavailable(error)) {
      deps.log.warn({ payout_id }, "orphaned hold waits for the quote service");
    } else {
      // The others are not to wait for the one that cannot be finished.
      deps.log.error({ err: error, payout_id }, "orphaned hold not finished");
    }
  }
}
