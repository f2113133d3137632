import type { Ledger } from "@disburse/ledger/accounts.ts";
import type { Orders } from "../orders/document.ts";
import { findOrder } from "../orders/store.ts";
import { asWaiting, type WaitingDocument } from "./document.ts";

/** Finds a merchant's waiting payout, also one that nobody sees yet. */
export async function findWaiting(
  waiting: Orders,
  id: string,
  merchantId: string,
): Promise<WaitingDocument | undefined> {
  const found = await findOrder(waiting, id, { merchant_id: merchantId });
  return found && asWaiting(found);
}

/**
 * Marks an account that has had a waiting payout. Lists of other merchants then never read waiting
 * payouts.
 */
export async function markAccount({ accounts }: Ledger, accountId: string): Promise<void> {
  await accounts.updateOne(
    { _id: accountId, has_waited: { $exists: false } },
    { $set: { has_waited: true } },
  );
}
