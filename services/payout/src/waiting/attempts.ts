import { readHoldId } from "@disburse/ledger/rules/account.ts";
import type { Orders } from "../orders/document.ts";
import type { OrderState } from "../orders/rules/order.ts";

/** In these states the quote of the last attempt has ended too. */
const isEnded: ReadonlySet<OrderState["state"]> = new Set([
  ...(["awaiting_approval", "failed", "cancelled"] as const),
]);

/** Returns those of the holds whose attempt has ended, so that no payout is created of them. */
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
    // The attempt rises, and the payout is held, cancelled or failed, only after the attempt's quote
    // has ended.
    return record.attempt > attempt || isEnded.has(record.state);
  });
  return new Set(ended.map(({ id }) => id));
}
