import type { Decimal } from "@disburse/kernel/decimal.ts";

/** The kinds of money movement of a merchant's account, as its statement names them. */
export type MerchantStep = "credit" | "hold" | "post" | "release" | "return" | "reversal";

/** The kinds of money movement of a rail account. */
export type RailStep =
  | "fund"
  | "sweep"
  | "rail_hold"
  | "rail_post"
  | "rail_release"
  | "rail_return"
  | "rail_charge";

/** The kinds of money movement of any account. */
export type LedgerStep = MerchantStep | RailStep;

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

/** What is missing of a payment that came back, and who bears it. */
export type Shortfall = {
  readonly bearer: ReturnChargesBearer;
  readonly destination: string;
  /** Minor units of the destination, above zero and below what was paid. */
  readonly minor: bigint;
  /** The payout's, decimal text. */
  readonly exchangeRate: string;
};

/** Who bears what banks keep of a payment that comes back: a setting of the corridor. */
export type ReturnChargesBearer = "house" | "merchant";

/** A movement of a rail account: what is decided on is covered, what has happened is booked. */
export type RailMovement =
  | { readonly step: "fund" | "sweep"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "rail_hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "rail_post" | "rail_release"; readonly payoutId: string }
  /** `shortMinor` of what was paid did not come back. */
  | { readonly step: "rail_return"; readonly payoutId: string; readonly shortMinor: bigint }
  /** What the bank or the chain took: for a payout, which may have several, or for an operator. */
  | {
      readonly step: "rail_charge";
      readonly amount: bigint;
      readonly of:
        | { readonly payoutId: string; readonly number?: number }
        | { readonly operationId: string };
    };

/** A movement to apply to an account; one that ends or reverses another has that one's amount. */
export type Movement = { readonly note: string } & (
  | RailMovement
  | { readonly step: "credit"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "reversal"; readonly operationId: string; readonly creditKey: string }
  | { readonly step: "hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "post"; readonly payoutId: string; readonly conversion: Conversion }
  /** `ofOrder`: no payout is made of it, as its quote has expired. */
  | { readonly step: "release"; readonly payoutId: string; readonly ofOrder?: true }
  | { readonly step: "return"; readonly payoutId: string; readonly short?: Shortfall | undefined }
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

/** The key of what an operation does to a rail account, or of a charge: one per account. */
export function railKey(accountId: string, step: "fund" | "sweep" | "charge", of: string): string {
  return `${accountId}:${step}:${of}`;
}

/** Payouts of an account by the status that their money says. */
export type StatusCounts = Readonly<Record<"initiated" | "succeeded" | "failed", number>>;

/** An account, as rules and RPCs see it. */
export type Account = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly available: bigint;
  readonly held: bigint;
  readonly counts: StatusCounts;
  /** Of the last entry; 0 and "" before the first. */
  readonly sequence: number;
  readonly headHash: string;
  readonly createdAt: Date;
  /** Of the last entry. */
  readonly updatedAt: Date;
};

/** The house's own accounts; docs/decisions/0008 and 0050 describe them. */
export type HouseAccount =
  | "house:nostro"
  | "house:charges"
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

/** A movement that was applied: a line of the account's statement, and a link of its chain. */
export type LedgerEntry = {
  readonly key: string;
  readonly accountId: string;
  /** The account's. */
  readonly merchantId: string;
  readonly currency: string;
  readonly step: LedgerStep;
  /** Minor units; zero where nothing is left of a return, or nothing was held at a rail. */
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
  /** SHA-256 in hexadecimal over everything above and below. */
  readonly hash: string;
  readonly actor?: EntryActor | undefined;
  /** Not before the entry before it. */
  readonly createdAt: Date;
};

/** Entries by their keys. */
export type KnownEntries = ReadonlyMap<string, LedgerEntry>;
