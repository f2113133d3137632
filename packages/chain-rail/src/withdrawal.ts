import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { Decimal128 } from "mongodb";
import type { TransferDocument, TransferStore } from "./documents.ts";
import { findTransfer, findWallet } from "./store.ts";

/**
 * Withdraws a transfer that has no nonce. Returns `false` if it has one, because it may then be
 * paid at any time. The wallet's document decides, as it does for nonces: a key in `withdrawn`
 * never gets a nonce. For an unknown key this call stores a tombstone, so that the transfer is not
 * accepted later.
 */
export async function withdrawTransfer(
  store: TransferStore,
  wallet: string,
  key: string,
  at: Date,
): Promise<boolean> {
  await insertOnce(store.transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    currency: "",
    to: "",
    amount_minor: Decimal128.fromString("0"),
    state: "withdrawn",
    lost: [],
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
  for (;;) {
    const found = await findTransfer(store, key);
    const ofWallet = await findWallet(store, found?.wallet ?? wallet);
    // The transfer must be read again after the wallet. See `reserveNonces`.
    const transfer = await findTransfer(store, key);
    if (transfer === null) throw new Error(`transfer ${key} has no document in the database`);
    if (transfer.state !== "waiting") return isUnpaid(transfer);
    if (ofWallet === undefined)
      throw new Error("the rail has not read the wallet's state from the chain yet");
    if (ofWallet.open.some((each) => each.key === key)) return false;
    if (ofWallet.withdrawn.includes(key) || (await decideWithdrawal(store, ofWallet, key))) {
      await storeWithdrawal(store, key, at);
      return true;
    }
  }
}

/**
 * Returns true if a transfer was not paid and never will be. This holds after a final transaction
 * reverted or cancelled the nonce, and after operators checked an unclear one. It does not hold for
 * a transaction that left the chain, because that transaction may still pay.
 */
function isUnpaid({ state, reorganised_at, kept }: TransferDocument): boolean {
  if (state === "numbered" || state === "settled") return false;
  return reorganised_at === undefined || kept === true;
}

async function decideWithdrawal(
  { wallets }: TransferStore,
  { _id, revision, withdrawn }: { _id: string; revision: number; withdrawn: readonly string[] },
  key: string,
): Promise<boolean> {
  const { modifiedCount } = await wallets.updateOne(
    { _id, revision },
    { $set: { revision: revision + 1, withdrawn: [...withdrawn, key] } },
  );
  return modifiedCount === 1;
}

/** Stores the withdrawal, which the wallet's document has decided, in the transfer. */
export async function storeWithdrawal(
  { transfers }: TransferStore,
  key: string,
  at: Date,
): Promise<void> {
  await transfers.updateOne(
    { _id: key, state: "waiting" },
    { $set: { state: "withdrawn", updated_at: at }, $unset: { open: "" } },
  );
}
