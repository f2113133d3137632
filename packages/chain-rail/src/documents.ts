import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Binary, Collection, Decimal128 } from "mongodb";
import type { Order } from "./chain.ts";
import type { Fees } from "./rules/fees.ts";

/** The nonces of a wallet. Every change is a compare-and-set. */
export type WalletDocument = {
  _id: string;
  schema_version: number;
  /** Grows with each write. A write based on an older revision changes nothing. */
  revision: number;
  next_nonce: number;
  /** Assigned nonces. Their transfers may not have stored them yet. */
  open: { nonce: number; key: string }[];
  /**
   * Keys of withdrawn transfers, which never get a nonce. The transfers may not have stored this
   * yet.
   */
  withdrawn: string[];
};

/** A signed variant of a nonce's transaction. It is stored before it is sent, and never changes. */
export type StoredAttempt = {
  nonce: number;
  id: string;
  raw: Binary;
  /** Set if this variant pays nothing and only uses up the nonce. */
  cancels?: true;
  max_fee: Decimal128;
  tip: Decimal128;
  at: Date;
};

/** The final transaction that ended a transfer. */
export type StoredEnd = {
  id: string;
  height: number;
  block: string;
  /** The received amount as decimal text. Absent if the chain records no recipient. */
  received?: string;
  at: Date;
};

/**
 * The state of a transfer. It first waits for a nonce, and then has one. After that its final
 * transaction has paid, has reverted, has cancelled the nonce, or had an unclear effect. A transfer
 * without a nonce can also be withdrawn.
 */
export type TransferState =
  | "waiting"
  | "numbered"
  | "settled"
  | "rejected"
  | "cancelled"
  | "unclear"
  | "withdrawn";

/**
 * The possible consequences after a cancelling transaction has used a transfer's nonce: the
 * transfer is rejected, or gets a new nonce.
 */
export const cancelEnds = ["reject", "renew"] as const;
export type CancelEnd = (typeof cancelEnds)[number];

/** The operators' decision to cancel a nonce with a transaction that pays nothing. */
export type StoredCancel = { end: CancelEnd; person: string; operation: string; at: Date };

/** A transfer that a chain rail has accepted. Its id is the payout's id. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  /** The paying wallet. It never changes. */
  wallet: string;
  currency: string;
  amount_minor: Decimal128;
  to: string;
  state: TransferState;
  /** The wallet while the transfer needs work. Absent otherwise. */
  open?: string;
  nonce?: number;
  /**
   * The chain's height when the transfer got its nonce. Only later blocks can contain the
   * transaction.
   */
  since?: number;
  /** Set if this transfer pays nothing and only fills a nonce that no real transfer has. */
  gap?: true;
  /** The operators' decision to cancel the current nonce. */
  cancel?: StoredCancel;
  /** Nonces that this transfer lost because another final transaction used them. */
  lost: { nonce: number; to: string; at: Date }[];
  attempts: StoredAttempt[];
  end?: StoredEnd;
  /** The reason why the rail refused the transfer. Absent if it was withdrawn by others. */
  refused?: FailureCode;
  /** The time at which the rail found that the final transaction had left the chain. */
  reorganised_at?: Date;
  /** Set if the final transaction left the chain and the transfer then ended the same way again. */
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

/** Returns the order of a transfer. Returns `undefined` if the transfer only fills a nonce. */
export function orderOf({ currency, amount_minor, to, gap }: TransferDocument): Order | undefined {
  return gap ? undefined : { currency, amount: fromDecimal128(amount_minor), to };
}

export function feesOf({ max_fee, tip }: StoredAttempt): Fees {
  return { max: fromDecimal128(max_fee), tip: fromDecimal128(tip) };
}

export function storedFees({ max, tip }: Fees): Pick<StoredAttempt, "max_fee" | "tip"> {
  return { max_fee: toDecimal128(max), tip: toDecimal128(tip) };
}

/** Returns the attempts with the transfer's current nonce, oldest first. */
export function attemptsOf({ attempts, nonce }: TransferDocument): StoredAttempt[] {
  return attempts.filter((each) => each.nonce === nonce);
}
