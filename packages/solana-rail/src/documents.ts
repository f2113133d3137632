import { type Database, fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { Binary, Collection, Decimal128 } from "mongodb";
import type { Order } from "./chain.ts";

/** A signed transaction. It is stored before it is sent. */
export type StoredAttempt = {
  /** The transaction's signature, as base58. */
  id: string;
  raw: Binary;
  /** No block above this height can contain the transaction. */
  last_height: number;
  /** The slot of a final block from before the transaction was sent. */
  since_slot: number;
  /** The transaction's fee in lamports, without the rent of a new token account. */
  fee: Decimal128;
  at: Date;
  /** The time at which the nodes proved that no block contains the transaction. */
  expired_at?: Date;
};

/**
 * `waiting`: no transaction can be included. `signed`: the last attempt can be, or may be. The other
 * states never change.
 */
export type TransferState = "waiting" | "signed" | "settled" | "failed" | "refused" | "withdrawn";

/** A transfer that the rail has accepted. Its id is the payout's id. */
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
  /** Oldest first. All but the last have expired. */
  attempts: StoredAttempt[];
  /** The time since which the last attempt's outcome can't be proven. */
  unproven_at?: Date;
  /** The final transaction. `error` is set if it paid nothing. */
  end?: { id: string; slot: number; error?: string; at: Date };
  /** The reason for which the transfer was refused before it was sent. */
  refused?: Failure;
  accepted_at: Date;
  updated_at: Date;
};

export type TransferStore = Collection<TransferDocument>;

export function openTransferStore({ db }: Database): TransferStore {
  return db.collection<TransferDocument>("solana_transfers");
}

export const indexes: Indexes = {
  solana_transfers: [
    {
      key: { open: 1, state: 1, accepted_at: 1 },
      name: "open",
      partialFilterExpression: { open: { $exists: true } },
    },
  ],
};

export function orderOf({ _id, currency, amount_minor, to }: TransferDocument): Order {
  return { key: _id, currency, amount: fromDecimal128(amount_minor), to };
}
