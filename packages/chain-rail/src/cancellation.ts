import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { Decimal128 } from "mongodb";
import type { StoredCancel, TransferDocument, TransferStore } from "./documents.ts";
import { findWallet } from "./store.ts";

/** A nonce of a wallet. */
type WalletNonce = { readonly wallet: string; readonly nonce: number };

type Answer = "cancellable" | TransferDocument | Refused<"INVALID_REQUEST">;

/**
 * Whether a nonce can be cancelled, those below `mined` being mined; the transfer where this
 * operation has decided it already. What this answers may change until it is stored, which then
 * decides.
 */
export async function cancelProblem(
  store: TransferStore,
  { wallet, nonce }: WalletNonce,
  mined: number,
  operation: string,
): Promise<Answer> {
  const ofWallet = await findWallet(store, wallet);
  // The transfer after the wallet: a nonce that was given away is open there, or stored here.
  const transfer = await store.transfers.findOne({ wallet, nonce });
  if (transfer?.cancel !== undefined) {
    return transfer.cancel.operation === operation
      ? transfer
      : notCancellable("is cancelled already");
  }
  if (nonce < mined) return notCancellable("is mined");
  if (transfer !== null) {
    return isCancellable(transfer) ? "cancellable" : notCancellable("its transaction is final");
  }
  if (ofWallet === undefined || nonce >= ofWallet.next_nonce) {
    return notCancellable("was not given away");
  }
  const isOpen = ofWallet.open.some((each) => each.nonce === nonce);
  return isOpen ? notCancellable("is being signed") : "cancellable";
}

/**
 * Stores the decision, once; `undefined`: something came in between. From then on the dispatcher
 * signs what cancels the nonce; `height`: that of the chain, above which it is mined.
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
  // The unique index of nonces keeps this from one that a transfer has.
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

/** What reverted and left the chain may pay after all. */
function isCancellable({ state, open, reorganised_at }: TransferDocument): boolean {
  if (state === "numbered") return true;
  return state === "rejected" && open !== undefined && reorganised_at !== undefined;
}

function notCancellable(why: string): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", `nonce: ${why}`);
}
