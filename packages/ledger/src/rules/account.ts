import type { Decimal } from "@disburse/kernel/decimal.ts";

/** The kinds of movements in a merchant's account. Statements use the same names. */
export type MerchantStep =
  | "credit"
  | "reserve"
  | "unreserve"
  | "hold"
  | "post"
  | "release"
  | "return"
  | "reversal";

export type RailStep =
  | "fund"
  | "sweep"
  | "rail_hold"
  | "rail_post"
  | "rail_release"
  | "rail_return"
  | "rail_charge";

export type LedgerStep = MerchantStep | RailStep;

/** The conversion of a payout's source amount. */
export type Conversion = {
  readonly destination: string;
  /** The fees in minor units of the source currency. The platform keeps them. */
  readonly feesMinor: bigint;
  /** The payment in minor units of the destination currency. It leaves the platform. */
  readonly receivingMinor: bigint;
  /** Decimal text: the number of destination units for one source unit. */
  readonly exchangeRate: string;
};

/** The part of a returned payment that did not come back, and the party that bears the loss. */
export type Shortfall = {
  readonly bearer: ReturnChargesBearer;
  readonly destination: string;
  /** In minor units of the destination currency. More than zero and less than the amount paid. */
  readonly minor: bigint;
  /** The payout's rate, as decimal text. */
  readonly exchangeRate: string;
};

/** The party that bears the bank charges of a returned payment. Set per corridor. */
export type ReturnChargesBearer = "platform" | "merchant";

/**
 * A movement of a rail account. A decision, such as a hold or a sweep, requires enough money. A
 * fact, such as a bank charge, is always booked.
 */
export type RailMovement =
  | { readonly step: "fund" | "sweep"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "rail_hold"; readonly payoutId: string; readonly amount: bigint }
  | { readonly step: "rail_post" | "rail_release"; readonly payoutId: string }
  /** `shortMinor` is the part of the payment that did not return. */
  | { readonly step: "rail_return"; readonly payoutId: string; readonly shortMinor: bigint }
  /**
   * A charge by the bank or the chain. It belongs to a payout, which may have several, or is booked
   * by an operator.
   */
  | {
      readonly step: "rail_charge";
      readonly amount: bigint;
      readonly of:
        | { readonly payoutId: string; readonly number?: number }
        | { readonly operationId: string };
    };

/** A movement without an `amount` ends or reverses another one and has the same amount. */
export type Movement = { readonly note: string } & (
  | RailMovement
  | { readonly step: "credit"; readonly operationId: string; readonly amount: bigint }
  | { readonly step: "reversal"; readonly operationId: string; readonly creditKey: string }
  | { readonly step: "reserve"; readonly orderId: string; readonly amount: bigint }
  | { readonly step: "unreserve"; readonly orderId: string }
  /** If `reservedFor` is set, the hold ends that order's reservation in the same write. */
  | (Held & {
      readonly step: "hold";
      readonly amount: bigint;
      readonly reservedFor?: string | undefined;
    })
  | (Held & { readonly step: "post"; readonly conversion: Conversion })
  /** If `ofOrder` is set, the quote expired and no payout will be created of it. */
  | (Held & { readonly step: "release"; readonly ofOrder?: true })
  | (Held & { readonly step: "return"; readonly short?: Shortfall | undefined })
);

/**
 * The payout that money is held for. `attempt` is set for the later attempts of a payout that waited
 * for balance: each attempt has its own hold.
 */
export type Held = { readonly payoutId: string; readonly attempt?: number | undefined };

/** Returns the id under which money is held: the payout's, or that of one of its attempts. */
export function holdIdOf({ payoutId, attempt }: Held): string {
  return attempt === undefined ? payoutId : `${payoutId}.${attempt}`;
}

/** Reads the id of a hold. Ids of payouts contain no full stop. */
export function readHoldId(holdId: string): Held {
  const [payoutId = "", attempt] = holdId.split(".");
  return attempt === undefined ? { payoutId } : { payoutId, attempt: Number(attempt) };
}

/** Returns the key of a movement of a hold or an order. Each has one movement per step. */
export function movementKey(holdId: string, step: LedgerStep): string {
  return `${holdId}:${step}`;
}

/** Returns the key of a credit. An operation credits an account once. */
export function creditKey(accountId: string, operationId: string): string {
  return `${accountId}:credit:${operationId}`;
}

/** Returns the key of a credit's reversal. A credit is reversed at most once. */
export function reversalKey(key: string): string {
  return `${key}:reversal`;
}

/**
 * Returns the key of a rail account's movement. An operation makes one movement per account and
 * step. A charge is booked once per account.
 */
export function railKey(accountId: string, step: "fund" | "sweep" | "charge", of: string): string {
  return `${accountId}:${step}:${of}`;
}

/** The number of an account's payouts by what happened to their money. */
export type StatusCounts = Readonly<Record<"initiated" | "succeeded" | "failed", number>>;

export type Account = {
  readonly id: string;
  readonly merchantId: string;
  /** The merchant's own name for the account; "" if it has none. */
  readonly name: string;
  /** How to send money to the account, by an operator; "" if there is no text. */
  readonly topUpInstructions: string;
  readonly currency: string;
  readonly available: bigint;
  readonly held: bigint;
  /** A fall of `available` below it is an event. In minor units; `undefined` for none. */
  readonly lowBalanceThreshold: bigint | undefined;
  readonly counts: StatusCounts;
  /** The number of the last entry; 0 before the first entry. */
  readonly sequence: number;
  readonly headHash: string;
  /** Set while the account is closed: it takes no new holds and credits. */
  readonly closedAt?: Date | undefined;
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
  /** In major units of the currency. Signed and never zero. */
  readonly amount: Decimal;
};

/** The actor of a credit or a reversal. For payouts, the payout stores the actor. */
export type EntryActor = { readonly kind: string; readonly id: string };

/** An applied movement. It is a line of the statement and a link of the hash chain. */
export type LedgerEntry = {
  readonly key: string;
  readonly accountId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly step: LedgerStep;
  /**
   * In minor units. Zero if nothing was returned, or if a rail released a payout that it never
   * held.
   */
  readonly amount: bigint;
  /** The payout, or the scheduled payout of a reservation; "" for other movements. */
  readonly payoutId: string;
  readonly note: string;
  /** The number of the entry within its account. Starts at 1 and has no gaps. */
  readonly sequence: number;
  readonly available: bigint;
  readonly held: bigint;
  /** The postings sum to zero in each currency. */
  readonly postings: readonly Posting[];
  /** The key of the reversed entry, or "". */
  readonly reverses: string;
  /** Empty for the first entry of an account. */
  readonly previousHash: string;
  /** A hash of all other fields: SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly actor?: EntryActor | undefined;
  /** Never earlier than the previous entry's time. */
  readonly createdAt: Date;
};

export type KnownEntries = ReadonlyMap<string, LedgerEntry>;
