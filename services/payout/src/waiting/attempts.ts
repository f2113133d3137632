import { readHoldId } from "@disburse/ledger/rules/account.ts";
import type { Orders } from "../orders/document.ts";
import type { OrderState } from "../orders/rules/order.ts";

/** States that a waiting payout gets only after the quote of its last attempt has ended. */
const isEnded: ReadonlySet<OrderState["state"]> = new Set([
  ...(["awaiting_approval", "failed", "cancelled"] as const),
]);

/**
 * Returns the holds whose attempts have ended. Their quotes can't be claimed any more, so no payout
 * can be created from them, and their money can be released.
 */
export async function endedAttempts(
  waiting: Orders,
  holdIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const holds = holdIds.map((id) => ({ id, ...readHoldId(id) }));
  const ids = holds.map(({ payoutId }) => payoutId);
  const projection = { state: 1, attempt: 1 };
  const found = await waiting.find({ _id: { $in: ids } }, { projection }).toArray();
  const records = new Map(found.map((each) => [each._id, each]));
  const ended = holds.filter(({ payoutId, attempt = 1 }) => {
    const record = records.get(payoutId);
    if (record === undefined) return false;
    // A payout gets its next attempt, or one of the states above, only after the quote of this
    // attempt has ended.
    return record.attempt > attempt || isEnded.has(record.state);
  });
  return new Set(ended.map(({ id }) => id));
}
