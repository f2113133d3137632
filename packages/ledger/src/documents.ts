import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { RememberedRefusals } from "./refusals.ts";
import type { Account, LedgerEntry, LedgerStep, Posting, StatusCounts } from "./rules/account.ts";
import { type PlatformSums, postingText } from "./rules/postings.ts";

/**
 * A hold whose payout may not exist yet, or a reservation whose order may not be confirmed yet.
 * `payout_id` is the id of the hold (`holdIdOf`) or of the order.
 */
export type OpenHold = { payout_id: string; since: Date };

/** Stored fields of an entry, in the account and in the ledger. */
export type EntryFields = {
  step: LedgerStep;
  amount: Decimal128;
  payout_id: string;
  note: string;
  sequence: number;
  available: Decimal128;
  held: Decimal128;
  postings: { account: Posting["account"]; currency: string; amount: string }[];
  reverses: string;
  previous_hash: string;
  hash: string;
  /** Set for credits and reversals only. A payout stores its own actor. */
  actor?: StoredActor;
  created_at: Date;
};

/**
 * An entry that is still in its account's document, before it is recorded in the ledger. The
 * account is the outbox of its ledger entries.
 */
export type RecentEntry = EntryFields & { key: string };

/** A fall of the available balance below the merchant's threshold. */
export type LowEvent = {
  id: string;
  /** The account's last entry at the fall; 0 before the first entry. */
  sequence: number;
  available: Decimal128;
  threshold: Decimal128;
  at: Date;
};

export type AccountUpdate = { at: Date; operation_id: string; actor: StoredActor };

export type AccountDocument = RememberedRefusals & {
  _id: string;
  schema_version: number;
  /** Increases with every write of the fields below. */
  revision: number;
  /** The merchant's id; `platform` for a rail account. */
  merchant_id: string;
  /** The rail's name; absent for a merchant's account. */
  rail?: string;
  /** The merchant's own name for the account. Absent if it has none. */
  name?: string;
  /** The operators' text on how to send money to the account. Absent if there is none. */
  top_up_instructions?: string;
  currency: string;
  available: Decimal128;
  held: Decimal128;
  /** Absent if the merchant has set none. */
  low_balance_threshold?: Decimal128;
  /** True while `available` is below the threshold. Absent without a threshold. */
  is_low?: boolean;
  /**
   * The newest falls below the threshold whose event the bus has not confirmed, at most 100. Absent
   * if there are none.
   */
  low_events?: LowEvent[];
  /** The latest changes by the merchant and operators, the newest last. */
  updates?: AccountUpdate[];
  /** Set while the account is closed: it takes no new holds and credits. */
  closed_at?: Date;
  /** The part of `held` that is reserved for orders. Absent before the first reservation. */
  reserved?: Decimal128;
  /** The account's payouts by status. All zero for a rail account. */
  counts: StatusCounts;
  sequence: number;
  /** The hash of the last entry; "" before the first entry. */
  head_hash: string;
  /** The sequence of the last entry up to which the ledger is complete. */
  recorded_sequence: number;
  /** The latest entries. The ledger may not have them yet. A later write removes recorded ones. */
  recent: RecentEntry[];
  /** Holds whose payout may not exist yet. A later write removes holds of created payouts. */
  open_holds: OpenHold[];
  /**
   * The numbers of the first and the last credit whose event the bus has not confirmed. Absent if
   * there are none. Two numbers, because an account may get any number of credits while the broker
   * is away.
   */
  credited?: { from: number; to: number };
  /** Sums of the postings to platform accounts, by `<account>/<currency>`, as decimal text. */
  platform: Record<string, string>;
  /**
   * Set while `credited` is set, or `recent`, `open_holds` or `low_events` has elements.
   */
  dirty?: true;
  /**
   * Set by each movement. Removed when the account's chain head has been shipped (`ledgerHeads`).
   */
  head_due?: true;
  /** Set once a payout of the account has waited for balance. Never removed. */
  has_waited?: true;
  operation_id: string;
  actor: StoredActor;
  created_at: Date;
  updated_at: Date;
};

export type LedgerDocument = EntryFields & {
  _id: string;
  schema_version: number;
  account_id: string;
  merchant_id: string;
  currency: string;
};

export const accountSchemaVersion = 1;

export type LedgerCollections = {
  readonly accounts: Collection<AccountDocument>;
  readonly entries: Collection<LedgerDocument>;
};

export function toAccount(document: AccountDocument): Account {
  const { low_balance_threshold: threshold } = document;
  return {
    id: document._id,
    merchantId: document.merchant_id,
    name: document.name ?? "",
    topUpInstructions: document.top_up_instructions ?? "",
    currency: document.currency,
    available: fromDecimal128(document.available),
    held: fromDecimal128(document.held),
    lowBalanceThreshold: threshold && fromDecimal128(threshold),
    counts: document.counts,
    sequence: document.sequence,
    headHash: document.head_hash,
    closedAt: document.closed_at,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

export function toPlatformSums(document: Pick<AccountDocument, "platform">): PlatformSums {
  const sums = Object.entries(document.platform);
  return Object.fromEntries(sums.map(([name, text]) => [name, storedDecimal(text)]));
}

export function platformFields(sums: PlatformSums): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, postingText(sum)]));
}

export function recentEntry(entry: LedgerEntry, actor: StoredActor | undefined): RecentEntry {
  const { key, step, note, sequence, reverses, hash } = entry;
  return {
    key,
    step,
    amount: toDecimal128(entry.amount),
    payout_id: entry.payoutId,
    note,
    sequence,
    available: toDecimal128(entry.available),
    held: toDecimal128(entry.held),
    postings: entry.postings.map((each) => ({ ...each, amount: postingText(each.amount) })),
    reverses,
    previous_hash: entry.previousHash,
    hash,
    ...(actor === undefined ? {} : { actor }),
    created_at: entry.createdAt,
  };
}

export function ledgerDocument(account: AccountDocument, recent: RecentEntry): LedgerDocument {
  const { key, ...fields } = recent;
  return {
    _id: key,
    schema_version: accountSchemaVersion,
    account_id: account._id,
    merchant_id: account.merchant_id,
    currency: account.currency,
    ...fields,
  };
}

export function toLedgerEntry(document: LedgerDocument): LedgerEntry {
  return {
    key: document._id,
    accountId: document.account_id,
    merchantId: document.merchant_id,
    currency: document.currency,
    step: document.step,
    amount: fromDecimal128(document.amount),
    payoutId: document.payout_id,
    note: document.note,
    sequence: document.sequence,
    available: fromDecimal128(document.available),
    held: fromDecimal128(document.held),
    postings: document.postings.map((each) => ({ ...each, amount: storedDecimal(each.amount) })),
    reverses: document.reverses,
    previousHash: document.previous_hash,
    hash: document.hash,
    actor: document.actor,
    createdAt: document.created_at,
  };
}

function storedDecimal(text: string) {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new Error("an amount in the database is not a decimal");
  return decimal;
}
