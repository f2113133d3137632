import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Binary, Collection, Decimal128 } from "mongodb";
import type { Order } from "./chain.ts";
import type { Fees } from "./rules/fees.ts";

/** The nonces of a wallet. Every change is one compare-and-set. */
export type WalletDocument = {
  _id: string;
  schema_version: number;
  /** Grows with each write. A write based on an older revision changes nothing. */
  revision: number;
  next_nonce: number;
  /** Assigned nonces that their transfers may not have stored yet. */
  open: { nonce: number; key: string }[];
  /** Transfers that never get a nonce. They may not have stored that yet. */
  withdrawn: string[];
};

/** A signed variant of a nonce. It is stored before it is sent, and never changes. */
export type StoredAttempt = {
  nonce: number;
  id: string;
  raw: Binary;
  /** Set if it pays nothing and only uses up the nonce. */
  cancels?: true;
  max_fee: Decimal128;
  tip: Decimal128;
  at: Date;
};

/** The final transaction of a transfer. */
export type StoredEnd = {
  id: string;
  height: number;
  block: string;
  /** Decimal text of the received amount; absent if nothing on the chain names the recipient. */
  received?: string;
  at: Date;
};

/**
 * The state of a transfer. It waits for a nonce, or has one. Then a final transaction paid it,
 * reverted, cancelled its nonce, or had an unclear effect. Or it was withdrawn before it had a
 * nonce.
 */
export type TransferState =
  | "waiting"
  | "numbered"
  | "settled"
  | "rejected"
  | "cancelled"
  | "unclear"
  | "withdrawn";

/** The next state of a transfer whose nonce a cancelling transaction used. */
export const cancelEnds = ["reject", "renew"] as const;
export type CancelEnd = (typeof cancelEnds)[number];

/** The decision of operators to cancel a nonce with a transaction that pays nothing. */
export type StoredCancel = { end: CancelEnd; person: string; operation: string; at: Date };

/** A transfer that a chain rail has accepted, under its payout's id. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  /** The paying wallet. It never changes. */
  wallet: string;
  currency: string;
  amount_minor: Decimal128;
  to: string;
  state: TransferState;
  /** The wallet, while there is work on the transfer. */
  open?: string;
  nonce?: number;
  /** The chain's height when the transfer got its nonce. Only later blocks can contain it. */
  since?: number;
  /** Set if it pays nothing: it fills a nonce that no transfer has. */
  gap?: true;
  /** The operators' decision to cancel the present nonce. */
  cancel?: StoredCancel;
  /** Nonces that another final transaction used. */
  lost: { nonce: number; to: string; at: Date }[];
  attempts: StoredAttempt[];
  end?: StoredEnd;
  /** The reason why the transfer was refused on arrival; absent if it was withdrawn later. */
  refused?: FailureCode;
  /** The time when the final transaction was found to have left the chain. */
  reorganised_at?: Date;
  /** Set if the transfer was reorganised and ended the same way again. */
  kept?: true;
  accepted_at: Date;
  updated_at: Date;
};

export type TransferStore = {
  readonly transfers: Collection<TransferDocument>;
  readonly wallets: Collection<WalletDocument>;
};

export function openTransferStore({ db }: Database): TransferStore {
  return {
    transfers: db.collection<TransferDocument>("chain_transfers"),
    wallets: db.collection<WalletDocument>("chain_wallets"),
  };
}

/** Returns the order of a transfer; `undefined` if it only fills a nonce. */
export function orderOf({ currency, amount_minor, to, gap }: TransferDocument): Order | undefined {
  return gap ? undefined : { currency, amount: fromDecimal128(amount_minor), to };
}

export function feesOf({ max_fee, tip }: StoredAttempt): Fees {
  return { max: fromDecimal128(max_fee), tip: fromDecimal128(tip) };
}

export function storedFees({ max, tip }: Fees): Pick<StoredAttempt, "max_fee" | "tip"> {
  return { max_fee: toDecimal128(max), tip: toDecimal128(tip) };
}

/** Returns the signed variants of a transfer's present nonce, oldest first. */
export function attemptsOf({ attempts, nonce }: TransferDocument): StoredAttempt[] {
  return attempts.filter((each) => each.nonce === nonce);
}
