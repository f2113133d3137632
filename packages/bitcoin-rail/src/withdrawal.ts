import type { BatchDocument, BitcoinStore } from "./documents.ts";
import { acceptTransfer, changeWallet, findBatch, findTransfer, findWallet } from "./store.ts";

/**
 * Withdraws a transfer that has no batch. Returns `false` if it has one, because it may then be
 * paid at any time. The wallet's document decides, as it does for batches: a key in `withdrawn`
 * never joins one. For an unknown key this call stores a tombstone, so that the transfer is not
 * accepted later.
 */
export async function withdrawTransfer(
  store: BitcoinStore,
  wallet: string,
  key: string,
  at: Date,
): Promise<boolean> {
  await acceptTransfer(store, key, wallet, { to: "", amount: 0n }, at, {});
  for (;;) {
    const found = await findTransfer(store, key);
    const ofWallet = await findWallet(store, found?.wallet ?? wallet);
    // The transfer must be read again after the wallet. See `changeWallet`.
    const transfer = await findTransfer(store, key);
    if (transfer === null) throw new Error(`transfer ${key} has no document in the database`);
    if (transfer.state === "withdrawn") return true;
    if (transfer.batch !== undefined) return isUnpaid(await findBatch(store, transfer.batch));
    if (ofWallet === undefined)
      throw new Error("the rail has not read the wallet's state from the chain yet");
    if (ofWallet.forming?.keys.includes(key)) return false;
    const withdrawn = [...ofWallet.withdrawn, key];
    if (ofWallet.withdrawn.includes(key) || (await changeWallet(store, ofWallet, { withdrawn }))) {
      await storeWithdrawal(store, key);
      return true;
    }
  }
}

/**
 * Returns true if a batch was not paid and never will be: a final transaction cancelled it, or
 * operators checked an unclear one. It does not hold for a transaction that left the chain.
 */
function isUnpaid(batch: BatchDocument | undefined): boolean {
  if (batch === undefined || batch.state === "open" || batch.state === "settled") return false;
  return batch.reorganised_at === undefined || batch.kept === true;
}

/** Stores the withdrawal, which the wallet's document has decided, in the transfer. */
export async function storeWithdrawal({ transfers }: BitcoinStore, key: string): Promise<void> {
  await transfers.updateOne(
    { _id: key, state: "waiting" },
    { $set: { state: "withdrawn" }, $unset: { waiting: "" } },
  );
}
