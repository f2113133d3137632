import type { Decimal } from "@disburse/kernel/decimal.ts";

/** Movement kinds of a merchant's account, as the statement names them. */
export type MerchantStep = "credit" | "hold" | "post" | "release" | "return" | "reversal";

export type RailStep =
  | "fund"
  | "sweep"
  | "rail_hold"
  | "rail_post"
  | "rail_release"
  | "rail_return"
  | "rail_charge";

export type LedgerStep = MerchantStep | RailStep;

/** Conversion of a payout's source amount. */
export type Conversion = {
  readonly destination: string;
  /** Minor units of the source. The platform keeps them. */
  readonly feesMinor: bigint;
  /** Minor units of the destination. They leave the platform. */
  readonly receivingMinor: bigint;
  /** Decimal text: destination units for one source unit. */
  readonly exchangeRate: string;
};

/** The missing part of a returned payment and the party that bears it. */
export type Shortfall = {
  readonly bearer: ReturnChargesBearer;
  readonly destination: string;
  /** Minor units of the destination, above zero and below the amount paid. */
  readonly minor: bigint;
  /** The payout's rate, as decimal text. */
  readonly exchangeRate: string;
};

/** The party that bears the bank charges of a returned payment: a setting of the corridor. */
export type ReturnChargesBearer = "platform" | "merchant";

/** A movement of a rail account. Decisions require cover; facts are booked in any case. */
export type RailMovement =
  | { readonly step: "fund" | "sweep"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "rail_hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "rail_post" | "rail_release"; readonly payoutId: string }
  /** `shortMinor` is the part of the payment that did not return. */
  | { readonly step: "rail_return"; readonly payoutId: string; readonly shortMinor: bigint }
  /**
   * A charge of the bank or the chain, for a payout (which may have several) or for an operator.
   */
  | {
      readonly step: "rail_charge";
      readonly amount: bigint;
      readonly of:
        | { readonly payoutId: string; readonly number?: number }
        | { readonly operationId: string };
    };

/** A movement that ends or reverses another one has the amount of that one. */
export type Movement = { readonly note: string } & (
  | RailMovement
  | { readonly step: "credit"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "reversal"; readonly operationId: string; readonly creditKey: string }
  | { readonly step: "hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "post"; readonly payoutId: string; readonly conversion: Conversion }
  /** `ofOrder`: the quote expired, so no payout is created. */
  | { readonly step: "release"; readonly payoutId: string; readonly ofOrder?: true }
  | { readonly step: "return"; readonly payoutId: string; readonly short?: Shortfall | undefined }
);

/** One movement per payout and step. */
export function movementKey(payoutId: string, step: LedgerStep): string {
  return `${payoutId}:${step}`;
}

/** One credit per account and operation. */
export function creditKey(accountId: string, operationId: string): string {
  return `${accountId}:credit:${operationId}`;
}

/** A credit has at most one reversal. */
export function reversalKey(key: string): string {
  return `${key}:reversal`;
}

/** One movement per account, step and operation. Charges have one per account and charge. */
export function railKey(accountId: string, step: "fund" | "sweep" | "charge", of: string): string {
  return `${accountId}:${step}:${of}`;
}

/** Payouts of an account by the status of their money. */
export type StatusCounts = Readonly<Record<"initiated" | "succeeded" | "failed", number>>;

export type Account = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly available: bigint;
  readonly held: bigint;
  readonly counts: StatusCounts;
  /** The last entry's number; 0 before the first. */
  readonly sequence: number;
  readonly headHash: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Platform accounts. See docs/decisions/0008 and 0050. */
export type PlatformAccount =
  | "platform:nostro"
  | "platform:charges"
  | "platform:funding"
  | "platform:fees"
  | "platform:exchange"
  | "platform:rounding"
  | "platform:settlement";

/** One side of a movement. A positive amount increases the account. */
export type Posting = {
  readonly account: "available" | "held" | PlatformAccount;
  readonly currency: string;
  /** Units of the currency, signed, never zero. */
  readonly amount: Decimal;
};

/** The actor of a credit or a reversal. Payouts store their own actors. */
export type EntryActor = { readonly kind: string; readonly id: string };

/** An applied movement: a line of the statement and a link of the hash chain. */
export type LedgerEntry = {
  readonly key: string;
  readonly accountId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly step: LedgerStep;
  /** Minor units. Zero for a return of nothing, or if nothing was held on a rail. */
  readonly amount: bigint;
  /** "" for a movement without a payout. */
  readonly payoutId: string;
  readonly note: string;
  /** From 1, without gaps within an account. */
  readonly sequence: number;
  readonly available: bigint;
  readonly held: bigint;
  /** The postings sum to zero in each currency. */
  readonly postings: readonly Posting[];
  /** The key of the reversed entry, or "". */
  readonly reverses: string;
  /** Empty for the first entry of an account. */
  readonly previousHash: string;
  /** SHA-256 in hexadecimal over all other fields. */
  readonly hash: string;
  readonly actor?: EntryActor | undefined;
  /** Never before the previous entry's time. */
  readonly createdAt: Date;
};

export type KnownEntries = ReadonlyMap<string, LedgerEntry>;
