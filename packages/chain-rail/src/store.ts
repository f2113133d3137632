import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { Binary } from "mongodb";
import type { Look, Order, Signed } from "./chain.ts";
import {
  type StoredAttempt,
  type StoredEnd,
  storedFees,
  type TransferDocument,
  type TransferState,
  type TransferStore,
  type WalletDocument,
} from "./documents.ts";
import type { Fees } from "./rules/fees.ts";
import type { Assignment } from "./rules/nonces.ts";

/** Transfers that one run works on; later ones wait for the next run. */
const workMax = 1_000;

/** Takes a transfer, once: a repeat changes nothing, whatever it says. */
export async function acceptTransfer(
  { transfers }: TransferStore,
  key: string,
  wallet: string,
  { currency, amount, to }: Order,
  at: Date,
): Promise<void> {
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    currency,
    to,
    amount_minor: toDecimal128(amount),
    state: "waiting",
    open: wallet,
    lost: [],
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
}

/**
 * Stores that a transfer is never paid, as its recipient has no owner; one that was accepted
 * before stays as it is.
 */
export async function refuseTransfer(
  { transfers }: TransferStore,
  key: string,
  wallet: string,
  { currency, amount, to }: Order,
  at: Date,
): Promise<void> {
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    currency,
    to,
    amount_minor: toDecimal128(amount),
    state: "withdrawn",
    refused: "INVALID_ACCOUNT",
    lost: [],
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
}

/** A transfer by its payout's id. */
export function findTransfer({ transfers }: TransferStore, key: string) {
  return transfers.findOne({ _id: key });
}

/** The open transfers of a wallet in some states, those first that came first. */
export function openTransfers(
  { transfers }: TransferStore,
  wallet: string,
  states: readonly TransferState[],
) {
  return transfers
    .find({ open: wallet, state: { $in: [...states] } })
    .sort({ accepted_at: 1 })
    .limit(workMax)
    .toArray();
}

/** Transfers whose nonces no block has, by their nonces. */
export function unminedTransfers(
  { transfers }: TransferStore,
  wallet: string,
  { minedLeast }: Pick<Look, "minedLeast">,
) {
  return transfers
    .find({ open: wallet, state: "numbered", nonce: { $gte: minedLeast } })
    .sort({ nonce: 1 })
    .limit(workMax)
    .toArray();
}

/** Transfers whose nonces final transactions have: theirs or others. */
export function finalTransfers(
  { transfers }: TransferStore,
  wallet: string,
  { finalNonce }: Pick<Look, "finalNonce">,
) {
  return transfers
    .find({ open: wallet, state: "numbered", nonce: { $lt: finalNonce } })
    .sort({ nonce: 1 })
    .limit(workMax)
    .toArray();
}

/** Transfers that have nonces from one on, up to before another, in whatever state. */
export function noncesFrom(
  { transfers }: TransferStore,
  wallet: string,
  from: number,
  before: number,
) {
  return transfers.find({ wallet, nonce: { $gte: from, $lt: before } }).toArray();
}

/** How many open transfers there are of wallets that are none of these. */
export function countOrphans(
  { transfers }: TransferStore,
  wallets: readonly string[],
): Promise<number> {
  return transfers.countDocuments({ open: { $exists: true, $nin: [...wallets] } });
}

/** A wallet's nonces; `undefined` before its first transfer. */
export async function findWallet({ wallets }: TransferStore, wallet: string) {
  return (await wallets.findOne({ _id: wallet })) ?? undefined;
}

/** Begins a wallet at a nonce, where it has none. */
export async function beginWallet(
  { wallets }: TransferStore,
  wallet: string,
  nextNonce: number,
): Promise<void> {
  await insertOnce(wallets, {
    _id: wallet,
    schema_version: 1,
    revision: 1,
    next_nonce: nextNonce,
    open: [],
    withdrawn: [],
  });
}

/**
 * Gives nonces away, where the wallet still is as it was read; `undefined`: another process has
 * changed it, and nothing is given away. Transfers have to be read after the wallet was: one that
 * got a nonce before that either is in `open` or has stored it, and none gets two.
 */
export async function reserveNonces(
  { wallets }: TransferStore,
  wallet: WalletDocument,
  assignments: readonly Assignment[],
): Promise<WalletDocument | undefined> {
  const [revision, next] = [wallet.revision + 1, wallet.next_nonce + assignments.length];
  const open = [...wallet.open, ...assignments];
  const { modifiedCount } = await wallets.updateOne(
    { _id: wallet._id, revision: wallet.revision },
    { $set: { revision, next_nonce: next, open } },
  );
  return modifiedCount === 1 ? { ...wallet, revision, next_nonce: next, open } : undefined;
}

/** Forgets assignments and withdrawals that their transfers have stored. */
export async function forgetAssignments(
  { wallets }: TransferStore,
  wallet: WalletDocument,
): Promise<WalletDocument | undefined> {
  if (wallet.open.length === 0 && wallet.withdrawn.length === 0) return wallet;
  const revision = wallet.revision + 1;
  const none = { open: [], withdrawn: [] };
  const { modifiedCount } = await wallets.updateOne(
    { _id: wallet._id, revision: wallet.revision },
    { $set: { revision, ...none } },
  );
  return modifiedCount === 1 ? { ...wallet, revision, ...none } : undefined;
}

/** Raises the next nonce of a wallet past those that were used outside, by an operator's word. */
export async function skipNonces(
  { wallets }: TransferStore,
  wallet: WalletDocument,
  nextNonce: number,
): Promise<void> {
  await wallets.updateOne(
    { _id: wallet._id, revision: wallet.revision },
    { $set: { revision: wallet.revision + 1, next_nonce: nextNonce } },
  );
}

/** A signed variant; `cancels` where it pays nothing. */
export type Variant = { readonly signed: Signed; readonly fees: Fees; readonly cancels?: true };

/** A signed variant as it is stored. */
function attemptOf(nonce: number, { signed, fees, cancels }: Variant, at: Date): StoredAttempt {
  const { id, raw } = signed;
  const stored = { nonce, id, raw: new Binary(raw), ...storedFees(fees), at };
  return cancels ? { ...stored, cancels } : stored;
}

/**
 * Stores a transfer's nonce with its first signed variant. `false`: it has this nonce already, or
 * had it and lost it; what was signed is not to be sent.
 */
export async function numberTransfer(
  { transfers }: TransferStore,
  { key, nonce }: Assignment,
  first: Variant,
  since: number,
  at: Date,
): Promise<boolean> {
  const attempt = attemptOf(nonce, first, at);
  const { modifiedCount } = await transfers.updateOne(
    { _id: key, state: "waiting", "lost.nonce": { $ne: nonce } },
    {
      $set: { state: "numbered", nonce, since, updated_at: at },
      $push: { attempts: attempt },
    },
  );
  return modifiedCount === 1;
}

/** Adds a signed variant of the nonce, where no other was added since the transfer was read. */
export async function addAttempt(
  { transfers }: TransferStore,
  { _id, state, nonce, attempts }: TransferDocument,
  added: Variant,
  at: Date,
): Promise<boolean> {
  if (nonce === undefined) return false;
  const { modifiedCount } = await transfers.updateOne(
    { _id, state, nonce, attempts: { $size: attempts.length } },
    { $set: { updated_at: at }, $push: { attempts: attemptOf(nonce, added, at) } },
  );
  return modifiedCount === 1;
}

/**
 * Takes the nonce from a transfer, which another final transaction has: it waits for a new one. Not
 * where a variant was added since it was read, which may be that transaction.
 */
export async function loseNonce(
  { transfers }: TransferStore,
  { _id, nonce, attempts }: TransferDocument,
  to: string,
  at: Date,
): Promise<boolean> {
  if (nonce === undefined) return false;
  const { modifiedCount } = await transfers.updateOne(
    { _id, state: "numbered", nonce, attempts: { $size: attempts.length } },
    {
      $set: { state: "waiting", updated_at: at },
      $unset: { nonce: "", since: "", cancel: "" },
      $push: { lost: { nonce, to, at } },
    },
  );
  return modifiedCount === 1;
}

/** Ends a transfer by a final transaction. It is watched for a while. */
export async function endTransfer(
  { transfers }: TransferStore,
  { _id, nonce, attempts }: TransferDocument,
  state: Exclude<TransferState, "waiting" | "numbered" | "withdrawn">,
  end: StoredEnd,
): Promise<boolean> {
  if (nonce === undefined) return false;
  const { modifiedCount } = await transfers.updateOne(
    { _id, state: "numbered", nonce, attempts: { $size: attempts.length } },
    { $set: { state, end, updated_at: end.at } },
  );
  return modifiedCount === 1;
}

/** Notes that what a transfer ended by is gone from the chain; the first time counts. */
export async function noteReorganised(
  { transfers }: TransferStore,
  key: string,
  at: Date,
): Promise<boolean> {
  const { modifiedCount } = await transfers.updateOne(
    { _id: key, reorganised_at: { $exists: false } },
    { $set: { reorganised_at: at } },
  );
  return modifiedCount === 1;
}

/** Leaves a transfer: there is no more work on it. `isKept`: it ended the same way again. */
export async function closeTransfer(
  { transfers }: TransferStore,
  key: string,
  isKept = false,
): Promise<void> {
  const kept = isKept ? { $set: { kept: true as const } } : {};
  await transfers.updateOne({ _id: key }, { $unset: { open: "" }, ...kept });
}
