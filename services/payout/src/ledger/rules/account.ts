import type { Decimal } from "@disburse/kernel/decimal.ts";

/** The kinds of money movement of an account, as its statement names them. */
export type LedgerStep = "credit" | "hold" | "post" | "release" | "return" | "reversal";

/** What a payout's source amount becomes when it is paid. */
export type Conversion = {
  readonly destination: string;
  /** Minor units of the source; they stay with the house. */
  readonly feesMinor: bigint;
  /** Minor units of the destination; they leave the house. */
  readonly receivingMinor: bigint;
  /** Decimal text: destination units for one source unit. */
  readonly exchangeRate: string;
};

/** A movement to apply to an account; one that ends or reverses another has that one's amount. */
export type Movement = { readonly note: string } & (
  | { readonly step: "credit"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "reversal"; readonly creditKey: string }
  | { readonly step: "hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "post"; readonly payoutId: string; readonly conversion: Conversion }
  | { readonly step: "release" | "return"; readonly payoutId: string }
);

/** The key of a payout's movement: one per payout and step. */
export function movementKey(payoutId: string, step: LedgerStep): string {
  return `${payoutId}:${step}`;
}

/** The key of a credit: one per account and operation. */
export function creditKey(accountId: string, operationId: string): string {
  return `${accountId}:credit:${operationId}`;
}

/** The key of the reversal of a credit: one per credit. */
export function reversalKey(key: string): string {
  return `${key}:reversal`;
}

/** An account, as rules and RPCs see it. */
export type Account = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly available: bigint;
  readonly held: bigint;
  /** Of the last entry; 0 and "" before the first. */
  readonly sequence: number;
  readonly headHash: string;
  readonly createdAt: Date;
  /** Of the last entry. */
  readonly updatedAt: Date;
};

/** The house's own accounts; docs/decisions/0008 describes them. */
export type HouseAccount =
  | "house:funding"
  | "house:fees"
  | "house:exchange"
  | "house:rounding"
  | "house:settlement";

/** One side of a movement: what an account gains. */
export type Posting = {
  readonly account: "available" | "held" | HouseAccount;
  readonly currency: string;
  /** Units of the currency, signed, never zero. */
  readonly amount: Decimal;
};

/** Who made a movement that no payout made: a credit, its reversal. */
export type EntryActor = { readonly kind: string; readonly id: string };

/** The rules by which hashes of entries were made, the last of which makes new ones. */
export type HashVersion = 1 | 2;

/** A movement that was applied: a line of the account's statement, and a link of its chain. */
export type LedgerEntry = {
  readonly key: string;
  readonly accountId: string;
  /** The account's. */
  readonly merchantId: string;
  readonly currency: string;
  readonly step: LedgerStep;
  /** Minor units, above zero. */
  readonly amount: bigint;
  /** "" where no payout moves. */
  readonly payoutId: string;
  readonly note: string;
  /** From 1, without gap within an account. */
  readonly sequence: number;
  /** After this entry. */
  readonly available: bigint;
  readonly held: bigint;
  /** They sum to zero in each currency. */
  readonly postings: readonly Posting[];
  /** The key of the entry that this one reverses; else "". */
  readonly reverses: string;
  /** Of the entry before; "" for the first. */
  readonly previousHash: string;
  /** Of the rule that made `hash`. */
  readonly hashVersion: HashVersion;
  /** SHA-256 in hexadecimal over everything above and below; by the first rule over less. */
  readonly hash: string;
  readonly actor?: EntryActor | undefined;
  /** Not before the entry before it. */
  readonly createdAt: Date;
};
