import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Binary, Collection, Decimal128 } from "mongodb";
import type { Order } from "./chain.ts";
import type { Fees } from "./rules/fees.ts";

/** How far a wallet has given its nonces away; every change of it is one compare-and-set. */
export type WalletDocument = {
  _id: string;
  schema_version: number;
  /** One more with each write: a writer that read an older one changes nothing. */
  revision: number;
  next_nonce: number;
  /** Nonces whose transfers may not have them yet. */
  open: { nonce: number; key: string }[];
  /** Transfers that get no nonce any more, and may not know it yet. */
  withdrawn: string[];
};

/** One signed variant of a nonce. It is stored before it is sent, and never changes or goes. */
export type StoredAttempt = {
  nonce: number;
  /** The transaction's hash. */
  id: string;
  /** The bytes that are sent. */
  raw: Binary;
  /** It pays nothing, and takes the nonce from those that do. */
  cancels?: true;
  max_fee: Decimal128;
  tip: Decimal128;
  at: Date;
};

/** How a transfer ended on the chain. */
export type StoredEnd = {
  /** The transaction's hash. */
  id: string;
  height: number;
  block: string;
  /** Decimal text of what the recipient got; absent where nothing on the chain names it. */
  received?: string;
  at: Date;
};

/**
 * Where a transfer stands: it waits for a nonce; it has one; a final transaction paid it, reverted,
 * took its nonce so that it is never paid, or cannot be understood; or it was taken back before it
 * had a nonce.
 */
export type TransferState =
  | "waiting"
  | "numbered"
  | "settled"
  | "rejected"
  | "cancelled"
  | "unclear"
  | "withdrawn";

/** What becomes of a transfer whose nonce a cancelling transaction took. */
export const cancelEnds = ["reject", "renew"] as const;
export type CancelEnd = (typeof cancelEnds)[number];

/** Operators' decision that a nonce goes to a transaction that pays nothing. */
export type StoredCancel = { end: CancelEnd; person: string; operation: string; at: Date };

/** A transfer that a rail on a chain has taken, by its payout's id. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  /** The wallet that pays it, for ever. */
  wallet: string;
  currency: string;
  amount_minor: Decimal128;
  to: string;
  state: TransferState;
  /** The wallet, while there is work on it; absent afterwards. */
  open?: string;
  nonce?: number;
  /** The chain's height when it got its nonce: only later blocks can have it. */
  since?: number;
  /** It pays nothing: it is there for a nonce that no transfer has. */
  gap?: true;
  /** Since operators have decided to cancel its present nonce. */
  cancel?: StoredCancel;
  /** Nonces that another, final transaction took. */
  lost: { nonce: number; to: string; at: Date }[];
  attempts: StoredAttempt[];
  end?: StoredEnd;
  /** Why it was withdrawn when it came; absent where it was taken back later. */
  refused?: FailureCode;
  /** When what it ended by was found gone from the chain. */
  reorganised_at?: Date;
  /** It was reorganised, and ended the same way again. */
  kept?: true;
  accepted_at: Date;
  updated_at: Date;
};

/** Where a chain's rail keeps its transfers and the nonces of its wallets. */
export type TransferStore = {
  readonly transfers: Collection<TransferDocument>;
  readonly wallets: Collection<WalletDocument>;
};

/** The transfers of all chains, and their wallets. */
export function openTransferStore({ db }: Database): TransferStore {
  return {
    transfers: db.collection<TransferDocument>("chain_transfers"),
    wallets: db.collection<WalletDocument>("chain_wallets"),
  };
}

/** What a transfer pays; `undefined`: it fills a gap. */
export function orderOf({ currency, amount_minor, to, gap }: TransferDocument): Order | undefined {
  return gap ? undefined : { currency, amount: fromDecimal128(amount_minor), to };
}

/** The fees that an attempt offers. */
export function feesOf({ max_fee, tip }: StoredAttempt): Fees {
  return { max: fromDecimal128(max_fee), tip: fromDecimal128(tip) };
}

/** Fees as an attempt stores them. */
export function storedFees({ max, tip }: Fees): Pick<StoredAttempt, "max_fee" | "tip"> {
  return { max_fee: toDecimal128(max), tip: toDecimal128(tip) };
}

/** The signed variants of a transfer's present nonce, oldest first. */
export function attemptsOf({ attempts, nonce }: TransferDocument): StoredAttempt[] {
  return attempts.filter((each) => each.nonce === nonce);
}
