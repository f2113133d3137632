import { fromDecimal128 } from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { Account, LedgerEntry, LedgerStep } from "./domain/account.ts";

/** What a hold remembers, so that anyone can take it through claim and create after a crash. */
export type HoldIntent = {
  quote_id: string;
  reference_id: string;
  operation_id: string;
  actor: StoredActor;
  /** The merchant's request, for the log of whoever finishes it. */
  request_id?: string;
};

/** A movement inside its account: the account is the outbox of its own ledger. */
export type RecentMovement = {
  key: string;
  step: LedgerStep;
  amount: Decimal128;
  payout_id: string;
  note: string;
  sequence: number;
  available: Decimal128;
  held: Decimal128;
  at: Date;
  /** A hold whose payout is not known to exist yet. */
  open_since?: Date;
  /** Who credited the account; a payout's movements have the payout's. */
  actor?: StoredActor;
  /** When the hold's fate was known. */
  closed_at?: Date;
  intent?: HoldIntent;
};

export type AccountDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  currency: string;
  available: Decimal128;
  held: Decimal128;
  /** Of the last movement. */
  sequence: number;
  /** Up to here every movement is in the ledger. */
  recorded_sequence: number;
  /** Movements that are not in the ledger yet, and holds whose payout is not known to exist. */
  recent: RecentMovement[];
  /** Movements that are in the ledger, as long as a late try could repeat them. */
  applied: { key: string; at: Date }[];
  /** Set while there is something in `recent` or `applied`; absent otherwise. */
  dirty?: true;
  operation_id: string;
  actor: StoredActor;
  created_at: Date;
  updated_at: Date;
};

export type LedgerDocument = {
  /** The movement's key. */
  _id: string;
  schema_version: number;
  account_id: string;
  merchant_id: string;
  currency: string;
  step: LedgerStep;
  amount: Decimal128;
  payout_id: string;
  note: string;
  sequence: number;
  available: Decimal128;
  held: Decimal128;
  actor?: StoredActor;
  created_at: Date;
};

/** Where accounts and their statements are kept. */
export type AccountCollections = {
  readonly accounts: Collection<AccountDocument>;
  readonly ledger: Collection<LedgerDocument>;
};

export function toAccount(document: AccountDocument): Account {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    currency: document.currency,
    available: fromDecimal128(document.available),
    held: fromDecimal128(document.held),
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

export function ledgerDocument(account: AccountDocument, movement: RecentMovement): LedgerDocument {
  return {
    _id: movement.key,
    schema_version: 1,
    account_id: account._id,
    merchant_id: account.merchant_id,
    currency: account.currency,
    step: movement.step,
    amount: movement.amount,
    payout_id: movement.payout_id,
    note: movement.note,
    sequence: movement.sequence,
    available: movement.available,
    held: movement.held,
    ...(movement.actor === undefined ? {} : { actor: movement.actor }),
    created_at: movement.at,
  };
}

export function toLedgerEntry(document: LedgerDocument): LedgerEntry {
  return {
    key: document._id,
    accountId: document.account_id,
    currency: document.currency,
    step: document.step,
    amount: fromDecimal128(document.amount),
    payoutId: document.payout_id,
    note: document.note,
    sequence: document.sequence,
    available: fromDecimal128(document.available),
    held: fromDecimal128(document.held),
    createdAt: document.created_at,
  };
}
