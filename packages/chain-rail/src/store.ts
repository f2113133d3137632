import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import { Binary } from "mongodb";
import type { Order, Signed, Snapshot } from "./chain.ts";
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
import { changeWallet } from "./wallet/store.ts";

/** The maximum number of transfers in one run. Later transfers wait for the next run. */
const workMax = 1_000;

/**
 * Accepts a transfer once, or records that it must never be paid if `unsent` is given. A repeated
 * call changes nothing, even with other transfer data.
 */
export async function acceptTransfer(
  { transfers }: TransferStore,
  key: string,
  wallet: string,
  { currency, amount, to }: Order,
  at: Date,
  unsent?: { readonly refused?: FailureCode },
): Promise<void> {
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    currency,
    to,
    amount_minor: toDecimal128(amount),
    state: unsent === undefined ? "waiting" : "withdrawn",
    ...(unsent ?? { open: wallet }),
    lost: [],
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
}

/**
 * Stores why a waiting transfer is refused, before it is withdrawn. Without the withdrawal this has
 * no effect.
 */
export async function noteRefused(
  { transfers }: TransferStore,
  key: string,
  code: FailureCode,
  at: Date,
): Promise<void> {
  await transfers.updateOne(
    { _id: key, state: "waiting" },
    { $set: { refused: code, updated_at: at } },
  );
}

/** Returns a wallet's open transfers in some states, oldest first. */
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

/** Returns transfers whose nonces are in no block, in nonce order. */
export function unminedTransfers(
  store: TransferStore,
  wallet: string,
  { minedLeast }: Pick<Snapshot, "minedLeast">,
) {
  return numberedTransfers(store, wallet, { $gte: minedLeast });
}

/** Returns transfers whose nonces were used by final transactions, their own or others. */
export function finalTransfers(
  store: TransferStore,
  wallet: string,
  { finalNonce }: Pick<Snapshot, "finalNonce">,
) {
  return numberedTransfers(store, wallet, { $lt: finalNonce });
}

function numberedTransfers(
  { transfers }: TransferStore,
  wallet: string,
  nonce: { $gte: number } | { $lt: number },
) {
  const found = transfers.find({ open: wallet, state: "numbered", nonce });
  return found.sort({ nonce: 1 }).limit(workMax).toArray();
}

/** Returns transfers in any state whose nonces are in a range. `until` is exclusive. */
export function noncesFrom(
  { transfers }: TransferStore,
  wallet: string,
  from: number,
  until: number,
) {
  return transfers.find({ wallet, nonce: { $gte: from, $lt: until } }).toArray();
}

/** Creates a wallet's document with its first nonce, unless the document exists. */
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

/** Assigns nonces. Returns `undefined` if another process changed the wallet. */
export function reserveNonces(
  store: TransferStore,
  wallet: WalletDocument,
  assignments: readonly Assignment[],
): Promise<WalletDocument | undefined> {
  return changeWallet(store, wallet, {
    next_nonce: wallet.next_nonce + assignments.length,
    open: [...wallet.open, ...assignments],
  });
}

/** Removes assignments and withdrawals that the transfers have meanwhile stored. */
export async function forgetAssignments(
  store: TransferStore,
  wallet: WalletDocument,
): Promise<WalletDocument | undefined> {
  if (wallet.open.length === 0 && wallet.withdrawn.length === 0) return wallet;
  return changeWallet(store, wallet, { open: [], withdrawn: [] });
}

/** A signed variant. `cancels` is set if it pays nothing. */
export type Variant = { readonly signed: Signed; readonly fees: Fees; readonly cancels?: true };

function attemptOf(nonce: number, { signed, fees, cancels }: Variant, at: Date): StoredAttempt {
  const { id, raw } = signed;
  const stored = { nonce, id, raw: new Binary(raw), ...storedFees(fees), at };
  return cancels ? { ...stored, cancels } : stored;
}

/**
 * Stores a transfer's nonce with its first signed variant. Returns `false` if the transfer already
 * has this nonce or has lost it. The new variant must then not be sent.
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

/**
 * Adds a signed variant of the nonce, if no other variant was added since the transfer was read.
 */
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
 * Removes a transfer's nonce because another final transaction used it. The transfer then waits for
 * a new nonce. Does nothing if a variant was added since the transfer was read, because that
 * variant may be the final transaction.
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

/**
 * Ends a transfer according to a final transaction. The transfer is then watched for a number of
 * blocks.
 */
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
