import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { Decimal128 } from "mongodb";
import type { StoredCancel, TransferDocument, TransferStore } from "./documents.ts";
import { findWallet } from "./wallet/store.ts";

type WalletNonce = { readonly wallet: string; readonly nonce: number };

type Answer = "cancellable" | TransferDocument | Refused<"INVALID_REQUEST">;

/**
 * Returns `cancellable`, or the transfer if this operation has already decided about it. Nonces
 * below `mined` are mined. The result is only preliminary: the write in `storeCancel` decides.
 */
export async function cancelProblem(
  store: TransferStore,
  { wallet, nonce }: WalletNonce,
  mined: number,
  operation: string,
): Promise<Answer> {
  const ofWallet = await findWallet(store, wallet);
  // The transfer must be read after the wallet. An assigned nonce is then either still open in the
  // wallet or already stored in the transfer.
  const transfer = await store.transfers.findOne({ wallet, nonce });
  if (transfer?.cancel !== undefined) {
    return transfer.cancel.operation === operation
      ? transfer
      : notCancellable("was already cancelled");
  }
  if (nonce < mined) return notCancellable("was already used by a mined transaction");
  if (transfer !== null) {
    return isCancellable(transfer)
      ? "cancellable"
      : notCancellable("already has a final transaction");
  }
  if (ofWallet === undefined || nonce >= ofWallet.next_nonce) {
    return notCancellable("was not assigned to a transfer");
  }
  const isOpen = ofWallet.open.some((each) => each.nonce === nonce);
  return isOpen
    ? notCancellable("belongs to a transaction that is being signed: repeat the request")
    : "cancellable";
}

/**
 * Stores the decision to cancel. Returns `undefined` if another write was first. The dispatcher
 * then signs a transaction that cancels the nonce. Only blocks above `height`, the chain's current
 * height, can contain that transaction.
 */
export async function storeCancel(
  { transfers }: TransferStore,
  { wallet, nonce }: WalletNonce,
  cancel: StoredCancel,
  height: number,
): Promise<TransferDocument | undefined> {
  const { at, operation } = cancel;
  const cancellable = [
    { state: "numbered" as const },
    { state: "rejected" as const, open: wallet, reorganised_at: { $exists: true } },
  ];
  await transfers.updateOne(
    { wallet, nonce, cancel: { $exists: false }, $or: cancellable },
    { $set: { cancel, updated_at: at } },
  );
  // A unique index prevents a second document for the nonce of an existing transfer.
  await insertOnce(transfers, {
    _id: `nonce ${wallet} ${nonce}`,
    schema_version: 1,
    wallet,
    currency: "",
    to: "",
    amount_minor: Decimal128.fromString("0"),
    state: "numbered",
    open: wallet,
    gap: true,
    nonce,
    since: height,
    cancel,
    lost: [],
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
  return (await transfers.findOne({ wallet, nonce, "cancel.operation": operation })) ?? undefined;
}

/** A reverted transaction may still pay if its block has left the chain. */
function isCancellable({ state, open, reorganised_at }: TransferDocument): boolean {
  if (state === "numbered") return true;
  return state === "rejected" && open !== undefined && reorganised_at !== undefined;
}

function notCancellable(why: string): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", `nonce: ${why}`);
}
