import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Binary, Collection, Decimal128 } from "mongodb";

/** A coin: an unspent output of the wallet, as `txid:output`. */
export type CoinId = string;

/** A coin that belongs to a batch. No other batch may spend it. */
export type ReservedCoin = {
  coin: CoinId;
  amount: Decimal128;
  batch: string;
  /** Set if the coin is the change of a variant. Only a child spends it, and no variant. */
  child?: true;
};

/**
 * The coins and payouts that a wallet has assigned. Every change is a compare-and-set of the
 * revision, so that two processes never assign the same coin or payout twice.
 */
export type WalletDocument = {
  _id: string;
  schema_version: number;
  revision: number;
  /** Every spend of the wallet's coins after this block must be a stored transaction. */
  since_block: string;
  /** A new batch whose documents may not be stored yet. `id` is its fixed coin. */
  forming: { id: CoinId; keys: string[]; since: number } | null;
  reserved: ReservedCoin[];
  /** Keys of withdrawn transfers, which never join a batch. They may not have stored this yet. */
  withdrawn: string[];
};

/** A transfer waits until it joins a batch. From then on the batch's document decides. */
export type TransferDocument = {
  _id: string;
  schema_version: number;
  /** The paying wallet. It never changes. */
  wallet: string;
  to: string;
  amount_minor: Decimal128;
  state: "waiting" | "batched" | "withdrawn";
  /** The wallet while the transfer waits. Absent otherwise. */
  open?: string;
  batch?: string;
  /** The reason why the transfer was refused on arrival. Absent if it was withdrawn later. */
  refused?: FailureCode;
  accepted_at: Date;
  updated_at: Date;
};

/** A signed transaction. It is stored before it is sent, and never changes. */
type StoredTransaction = {
  id: string;
  raw: Binary;
  /** The fee and virtual size. Their quotient is the fee rate. */
  fee: Decimal128;
  vsize: number;
  at: Date;
};

/**
 * A signed variant of a batch. Every variant spends the fixed coin, so the chain contains at most
 * one. A payment pays all payouts of the batch.
 */
export type StoredVariant = StoredTransaction & {
  /** Set if this variant pays nothing and only spends the fixed coin to the wallet. */
  cancels?: true;
  /** Set if the nodes refused to replace an earlier variant by this one. */
  refused?: true;
};

/** A transaction that spends a variant's change to the wallet, to raise the fee of both. */
export type StoredChild = StoredTransaction & { parent: string; coin: CoinId };

/** The final transaction that ended a batch. */
export type StoredEnd = { id: string; height: number; block: string; at: Date };

export type StoredCancel = { person: string; operation: string; at: Date };

/** Payouts that one transaction pays. The id is the fixed coin, which no other batch ever had. */
export type BatchDocument = {
  _id: CoinId;
  schema_version: number;
  wallet: string;
  payouts: { key: string; to: string; amount_minor: Decimal128 }[];
  /**
   * `unclear`: a transaction that this rail did not store has spent the fixed coin. Operators
   * decide.
   */
  state: "open" | "settled" | "cancelled" | "unclear";
  /** The wallet while the batch needs work. Absent otherwise. */
  open?: string;
  /** The chain's height when the batch was formed. */
  since: number;
  /** The operators' decision to spend the fixed coin without a payment. */
  cancel?: StoredCancel;
  variants: StoredVariant[];
  children: StoredChild[];
  /** The ids of all variants and children. */
  transactions: string[];
  end?: StoredEnd;
  /** Set when a child of the final variant is final too: the platform also paid its fee. */
  child_end?: StoredEnd;
  /** The time at which the rail found that the final transaction had left the chain. */
  reorganised_at?: Date;
  /** Set if the final transaction left the chain and the batch then ended the same way again. */
  kept?: true;
  created_at: Date;
};

export type BitcoinStore = {
  readonly wallets: Collection<WalletDocument>;
  readonly transfers: Collection<TransferDocument>;
  readonly batches: Collection<BatchDocument>;
};

export function openBitcoinStore({ db }: Database): BitcoinStore {
  return {
    wallets: db.collection<WalletDocument>("bitcoin_wallets"),
    transfers: db.collection<TransferDocument>("bitcoin_transfers"),
    batches: db.collection<BatchDocument>("bitcoin_batches"),
  };
}
