import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { Decimal128 } from "mongodb";
import type { TransferDocument, TransferStore } from "./documents.ts";
import { findTransfer, findWallet } from "./store.ts";

/**
 * Takes a transfer back, where it has no nonce. `false`: it has one, and may be paid at any time.
 * The wallet's document decides, as it does on nonces: a key that it lists as withdrawn gets none.
 * A transfer that never came leaves a stone in its place, so that it is not taken later.
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
    // The transfer once more, after the wallet: see `reserveNonces`.
    const transfer = await findTransfer(store, key);
    if (transfer === null) throw new Error("a stored transfer is gone");
    if (transfer.state !== "waiting") return isUnpaid(transfer);
    if (ofWallet === undefined) throw new Error("the wallet was not looked at yet");
    if (ofWallet.open.some((each) => each.key === key)) return false;
    if (ofWallet.withdrawn.includes(key) || (await decideWithdrawal(store, ofWallet, key))) {
      await storeWithdrawal(store, key, at);
      return true;
    }
  }
}

/**
 * A final transaction that reverted, cancelled the nonce, or that people have looked at, pays no
 * more; one that left the chain may.
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

/** Stores in the transfer what the wallet has decided. */
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
