import type { Revised } from "@disburse/chassis/mongo/revision.ts";
import type { Collection, Document, Filter, UpdateFilter } from "mongodb";

type Wallets<Wallet extends Document> = { readonly wallets: Collection<Wallet> };
type Transfers<Transfer extends Document> = { readonly transfers: Collection<Transfer> };

/** Returns a wallet's document. Returns `undefined` before the wallet's first run. */
export async function findWallet<Wallet extends Document & Revised>(
  { wallets }: Wallets<Wallet>,
  wallet: string,
): Promise<Wallet | undefined> {
  return ((await wallets.findOne({ _id: wallet } as Filter<Wallet>)) as Wallet | null) ?? undefined;
}

/**
 * Changes a wallet if it is unchanged since it was read. Returns `undefined` if another process
 * changed it. Read the transfers after the wallet. A transfer that already has its payment assigned
 * is then either in the wallet or has stored this, so no transfer gets two.
 */
export async function changeWallet<Wallet extends Document & Revised>(
  { wallets }: Wallets<Wallet>,
  wallet: Wallet,
  change: Partial<Omit<Wallet, "_id" | "revision">>,
): Promise<Wallet | undefined> {
  const { _id, revision } = wallet;
  const changed = { ...change, revision: revision + 1 };
  const read = { _id, revision } as Filter<Wallet>;
  const { modifiedCount } = await wallets.updateOne(read, { $set: changed } as never);
  return modifiedCount === 1 ? { ...wallet, ...changed } : undefined;
}

type WithdrawnTransfer = { readonly _id: string; readonly wallet: string; readonly state: string };
type WithdrawingWallet = Revised & { readonly withdrawn: string[] };

/**
 * Withdraws a stored transfer that has no payment assigned. Returns `false` if it has one, because
 * it may then be paid at any time. The wallet's document decides: a key in `withdrawn` never gets a
 * payment.
 */
export async function withdrawWaiting<
  Wallet extends Document & WithdrawingWallet,
  Transfer extends Document & WithdrawnTransfer,
>(
  store: Wallets<Wallet> & Transfers<Transfer>,
  key: string,
  at: Date,
  {
    isAssigned,
    isUnpaid,
  }: {
    readonly isAssigned: (wallet: Wallet) => boolean;
    /** Returns true if a transfer that does not wait was not paid and never will be. */
    readonly isUnpaid: (transfer: Transfer) => boolean | Promise<boolean>;
  },
): Promise<boolean> {
  for (;;) {
    const found = await findTransfer(store, key);
    const wallet = await findWallet(store, found?.wallet ?? "");
    // The transfer must be read again after the wallet. See `changeWallet`.
    const transfer = await findTransfer(store, key);
    if (transfer === null) throw new Error(`transfer ${key} has no document in the database`);
    if (transfer.state !== "waiting") return isUnpaid(transfer);
    if (wallet === undefined)
      throw new Error("the rail has not read the wallet's state from the chain yet");
    if (isAssigned(wallet)) return false;
    const change = { withdrawn: [...wallet.withdrawn, key] } as never;
    if (wallet.withdrawn.includes(key) || (await changeWallet(store, wallet, change))) {
      await storeWithdrawal(store, key, at);
      return true;
    }
  }
}

export async function findTransfer<Transfer extends Document>(
  { transfers }: Transfers<Transfer>,
  key: string,
): Promise<Transfer | null> {
  return (await transfers.findOne({ _id: key } as Filter<Transfer>)) as Transfer | null;
}

/** Stores the withdrawal, which the wallet's document has decided, in the transfer. */
export async function storeWithdrawal<Transfer extends Document>(
  { transfers }: Transfers<Transfer>,
  key: string,
  at: Date,
): Promise<void> {
  await transfers.updateOne(
    { _id: key, state: "waiting" } as unknown as Filter<Transfer>,
    { $set: { state: "withdrawn", updated_at: at }, $unset: { open: "" } } as never,
  );
}

type Watched = { _id: string; open?: string; reorganised_at?: Date; kept?: true };

/** Documents that are watched after a final transaction has ended them. */
type WatchedDocuments = {
  updateOne(
    filter: Filter<Watched>,
    update: UpdateFilter<Watched>,
  ): Promise<{ readonly modifiedCount: number }>;
};

/** Stores the first time at which the final transaction was found to have left the chain. */
export async function noteReorganised(
  documents: WatchedDocuments,
  key: string,
  at: Date,
): Promise<boolean> {
  const { modifiedCount } = await documents.updateOne(
    { _id: key, reorganised_at: { $exists: false } },
    { $set: { reorganised_at: at } },
  );
  return modifiedCount === 1;
}

/** Ends the work on a document. `isKept`: it ended the same way again after a reorganisation. */
export async function closeWork(
  documents: WatchedDocuments,
  key: string,
  isKept = false,
): Promise<void> {
  const kept = isKept ? { $set: { kept: true as const } } : {};
  await documents.updateOne({ _id: key }, { $unset: { open: "" }, ...kept });
}

/** Returns true if a reorganisation can't make an unpaid document a paid one. */
export function isFinallyUnpaid({ reorganised_at, kept }: Omit<Watched, "_id">): boolean {
  return reorganised_at === undefined || kept === true;
}
