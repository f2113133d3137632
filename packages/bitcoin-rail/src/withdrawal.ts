import { isFinallyUnpaid, withdrawWaiting } from "@disburse/chain-rail/wallet/store.ts";
import type { BatchDocument, BitcoinStore } from "./documents.ts";
import { acceptTransfer, findBatch } from "./store.ts";

/**
 * Withdraws a transfer that has no batch. For an unknown key this call stores a tombstone, so that
 * the transfer is not accepted later.
 */
export async function withdrawTransfer(
  store: BitcoinStore,
  wallet: string,
  key: string,
  at: Date,
): Promise<boolean> {
  await acceptTransfer(store, key, wallet, { to: "", amount: 0n }, at, {});
  return withdrawWaiting(store, key, at, {
    isAssigned: ({ forming }) => forming?.keys.includes(key) ?? false,
    isUnpaid: async ({ batch }) => batch === undefined || isUnpaid(await findBatch(store, batch)),
  });
}

/**
 * Returns true if a batch was not paid and never will be: a final transaction cancelled it, or
 * operators checked an unclear one. It does not hold for a transaction that left the chain.
 */
function isUnpaid(batch: BatchDocument | undefined): boolean {
  if (batch === undefined || batch.state === "open" || batch.state === "settled") return false;
  return isFinallyUnpaid(batch);
}
