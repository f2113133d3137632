import type { TransferDocument, TransferStore } from "./documents.ts";
import { acceptTransfer } from "./store.ts";
import { isFinallyUnpaid, withdrawWaiting } from "./wallet/store.ts";

/**
 * Withdraws a transfer that has no nonce. For an unknown key this call stores a tombstone, so that
 * the transfer is not accepted later.
 */
export async function withdrawTransfer(
  store: TransferStore,
  wallet: string,
  key: string,
  at: Date,
): Promise<boolean> {
  await acceptTransfer(store, key, wallet, { currency: "", to: "", amount: 0n }, at, {});
  return withdrawWaiting(store, key, at, {
    isAssigned: ({ open }) => open.some((each) => each.key === key),
    isUnpaid,
  });
}

/**
 * Returns true if a transfer was not paid and never will be. This holds after a final transaction
 * reverted or cancelled the nonce, and after operators checked an unclear one. It does not hold for
 * a transaction that left the chain, because that transaction may still pay.
 */
function isUnpaid(transfer: TransferDocument): boolean {
  const { state } = transfer;
  return state !== "numbered" && state !== "settled" && isFinallyUnpaid(transfer);
}
