import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import type { Collection, Decimal128 } from "mongodb";
import type { RememberedRefusals } from "./refusals.ts";
import type { Account, LedgerEntry, LedgerStep, Posting, StatusCounts } from "./rules/account.ts";
import { type HouseSums, postingText } from "./rules/postings.ts";

/** A hold whose payout may not exist yet. */
export type OpenHold = { payout_id: string; since: Date };

/** What an entry is stored with, in its account and in the ledger. */
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
  /** Who credited the account; of a payout's movements, the payout says. */
  actor?: StoredActor;
  created_at: Date;
};

/** An entry inside its account: the account is the outbox of its own ledger. */
export type RecentEntry = EntryFields & { key: string };

/** An account: balances, what the ledger does not have yet, open holds, refused operations. */
export type AccountDocument = RememberedRefusals & {
  _id: string;
  schema_version: number;
  /** Raised by every write of what follows. */
  revision: number;
  /** `house` of a rail account. */
  merchant_id: string;
  /** Of a rail account. */
  rail?: string;
  currency: string;
  available: Decimal128;
  held: Decimal128;
  /** Its payouts; zero of a rail account. */
  counts: StatusCounts;
  /** Of the last entry. */
  sequence: number;
  /** Of the last entry; "" before the first. */
  head_hash: string;
  /** Up to here every entry is in the ledger. */
  recorded_sequence: number;
  /** The last entries, which the ledger may lack. A later write removes them. */
  recent: RecentEntry[];
  /** Holds whose payout may not exist. A later write removes them. */
  open_holds: OpenHold[];
  /** Keys of credits whose event the bus has not confirmed; absent before one. */
  credited?: string[];
  /** The sums of the account's house postings, by `<account>/<currency>`, as decimal text. */
  house: Record<string, string>;
  /** Set while there is something in `recent`, `open_holds` or `credited`; absent otherwise. */
  dirty?: true;
  /** Set by each movement, until the head of its chain is shipped as it is (`ledgerHeads`). */
  head_due?: true;
  operation_id: string;
  actor: StoredActor;
  created_at: Date;
  /** Of the last entry. */
  updated_at: Date;
};

/** An entry in the ledger. */
export type LedgerDocument = EntryFields & {
  /** The entry's key. */
  _id: string;
  schema_version: number;
  account_id: string;
  merchant_id: string;
  currency: string;
};

/** Version of the documents of accounts. */
export const accountSchemaVersion = 1;

/** Where accounts and their statements are stored. */
export type LedgerCollections = {
  readonly accounts: Collection<AccountDocument>;
  readonly entries: Collection<LedgerDocument>;
};

/** An account as the rules and RPCs see it. */
export function toAccount(document: AccountDocument): Account {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    currency: document.currency,
    available: fromDecimal128(document.available),
    held: fromDecimal128(document.held),
    counts: document.counts,
    sequence: document.sequence,
    headHash: document.head_hash,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

/** The account's sums of house postings. */
export function toHouseSums(document: Pick<AccountDocument, "house">): HouseSums {
  const sums = Object.entries(document.house);
  return Object.fromEntries(sums.map(([name, text]) => [name, storedDecimal(text)]));
}

/** Sums of house postings as they are stored. */
export function houseFields(sums: HouseSums): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, postingText(sum)]));
}

/** An entry as its account carries it. */
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

/** An entry of an account as the ledger has it. */
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

/** An entry as the rules and RPCs see it. */
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
  if (decimal === undefined) throw new Error("a stored amount that is no decimal");
  return decimal;
}
