import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import { Binary } from "mongodb";
import type { Order, SignedTransaction } from "./chain.ts";
import type { TransferDocument, TransferState, TransferStore } from "./documents.ts";

/** The maximum number of transfers in one run. Later transfers wait for the next run. */
const workMax = 1_000;

/** The end of a transfer of which no transaction can be included. */
type Unsent =
  | { readonly state: "withdrawn" }
  | { readonly state: "refused"; readonly refused: Failure };

/** Stores a transfer once. A repeated call changes nothing, even with other transfer data. */
export async function storeTransfer(
  transfers: TransferStore,
  wallet: string,
  { key, currency, amount, to }: Order,
  arrival: Unsent | { readonly state: "waiting" },
  at: Date,
): Promise<void> {
  await insertOnce(transfers, {
    _id: key,
    schema_version: 1,
    wallet,
    currency,
    to,
    amount_minor: toDecimal128(amount),
    ...arrival,
    ...(arrival.state === "waiting" && { open: wallet }),
    attempts: [],
    accepted_at: at,
    updated_at: at,
  });
}

export function findTransfer(transfers: TransferStore, key: string) {
  return transfers.findOne({ _id: key });
}

/** Returns a wallet's open transfers in a state, oldest first. */
export function openTransfers(
  transfers: TransferStore,
  wallet: string,
  state: Extract<TransferState, "waiting" | "signed">,
): Promise<TransferDocument[]> {
  return transfers.find({ open: wallet, state }).sort({ accepted_at: 1 }).limit(workMax).toArray();
}

/**
 * Stores a transfer's signed transaction. Returns `false` if another process has stored one since
 * the transfer was read, or has ended the transfer. The new transaction must then not be sent.
 */
export async function storeAttempt(
  transfers: TransferStore,
  { _id, attempts }: TransferDocument,
  { id, raw, lastHeight, sinceSlot, fee }: SignedTransaction,
  at: Date,
): Promise<boolean> {
  const attempt = {
    id,
    raw: new Binary(raw),
    last_height: lastHeight,
    since_slot: sinceSlot,
    fee: toDecimal128(fee),
    at,
  };
  const { modifiedCount } = await transfers.updateOne(
    { _id, state: "waiting", attempts: { $size: attempts.length } },
    { $set: { state: "signed", updated_at: at }, $push: { attempts: attempt } },
  );
  return modifiedCount === 1;
}

/** The transfer with the attempt that it was read with as its last one. */
const unchanged = ({ _id, attempts }: TransferDocument) => ({
  _id,
  state: "signed" as const,
  attempts: { $size: attempts.length },
});

/** Stores that no block contains the last attempt. The transfer then waits to be signed again. */
export async function expireAttempt(
  transfers: TransferStore,
  transfer: TransferDocument,
  at: Date,
): Promise<boolean> {
  const expired = `attempts.${transfer.attempts.length - 1}.expired_at`;
  const { modifiedCount } = await transfers.updateOne(unchanged(transfer), {
    $set: { state: "waiting", [expired]: at, updated_at: at },
    $unset: { unproven_at: "" },
  });
  return modifiedCount === 1;
}

/** Ends a transfer by its final transaction. */
export async function endTransfer(
  transfers: TransferStore,
  transfer: TransferDocument,
  end: NonNullable<TransferDocument["end"]>,
): Promise<boolean> {
  const state = end.error === undefined ? "settled" : "failed";
  const { modifiedCount } = await transfers.updateOne(unchanged(transfer), {
    $set: { state, end, updated_at: end.at },
    $unset: { open: "", unproven_at: "" },
  });
  return modifiedCount === 1;
}

/** Stores whether the outcome of the last attempt can be proven. */
export async function noteUnproven(
  transfers: TransferStore,
  transfer: TransferDocument,
  at: Date | undefined,
): Promise<boolean> {
  const change =
    at === undefined ? { $unset: { unproven_at: "" as const } } : { $set: { unproven_at: at } };
  const { modifiedCount } = await transfers.updateOne(unchanged(transfer), change);
  return modifiedCount === 1;
}

/** Ends a transfer of which no transaction can be included, before it is sent or sent again. */
export async function endUnsent(
  transfers: TransferStore,
  key: string,
  end: Unsent,
  at: Date,
): Promise<boolean> {
  const { modifiedCount } = await transfers.updateOne(
    { _id: key, state: "waiting" },
    { $set: { ...end, updated_at: at }, $unset: { open: "" } },
  );
  return modifiedCount === 1;
}
