import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailCapabilities, Transfer } from "./capabilities.ts";
import type { Outcome, RailReport, TransferredAmount } from "./report.ts";

/** The texts that a merchant gives with a payment. */
export type PaymentTexts = {
  readonly referenceId: string;
  /** Text for the beneficiary. It may name persons. */
  readonly remittanceInformation: string;
  /** An ISO 20022 external purpose code. */
  readonly purposeCode: string;
};

/** A payment instruction. It is never logged, because it contains the full account number. */
export type Instruction = PaymentTexts & {
  /** Used by the sandbox rail, which simulates outcomes for each merchant. */
  readonly merchantId: string;
  readonly currency: string;
  /** Amount in minor units of the currency. */
  readonly amount: bigint;
  /** `CRYPTO`, `SWIFT`, `ACH`, `LOCAL` or `SEPA`. */
  readonly transferMethod: string;
  /** "" unless the transfer is a crypto transfer. */
  readonly network: string;
  readonly beneficiaryName: string;
  readonly accountNumber: string;
  readonly routingCodeType: string;
  readonly routingCodeValue: string;
  readonly destinationCountry: string;
  /** The value is `Individual` or `Corporate`. */
  readonly accountType: string;
  /** The type of bank account, such as `Personal Savings`. "" if unknown. */
  readonly bankAccountType: string;
  /** The beneficiary's address. Unknown parts are "". */
  readonly address: {
    readonly street: string;
    readonly city: string;
    readonly state: string;
    readonly postcode: string;
    readonly countryCode: string;
  };
};

/**
 * The reply of a rail. `pollAfterMs` is the delay before the next poll. If absent, no poll is
 * needed.
 */
export type RailReply = RailReport & {
  readonly pollAfterMs?: number;
  /**
   * Charges that the bank took on top of the amount of a settled, returned or rejected transfer,
   * oldest first. Charges are only appended, so the index of a charge identifies it.
   */
  readonly charges?: readonly TransferredAmount[];
  /**
   * The reason why an earlier reply may no longer be valid, for example after a deep reorganisation
   * of a chain. No money moves, and the payout gets an exception.
   */
  readonly contradiction?: string;
};

/**
 * The shortage of a rail. `LOW_GAS`: it lacks the coin for the chain's fees. `LOW_FUNDS`: it lacks
 * the currency to pay out.
 */
export type Shortage = "LOW_GAS" | "LOW_FUNDS";

/** The result of the checks before a transfer is submitted. */
export type Preflight =
  | { readonly kind: "ok" }
  /**
   * The rail can't send the transfer now. The payout service checks again later. `reason` is for
   * operators and has at most 200 characters.
   */
  | { readonly kind: "wait"; readonly reason: string }
  /** The rail will never send the transfer. The payout fails, and its hold is released. */
  | { readonly kind: "refuse"; readonly failure: Failure };

/** A callback of a rail with a verified signature. */
export type RailCallback = {
  /** The key under which the transfer was submitted. */
  readonly key: string;
  readonly status: Outcome;
  readonly transferred?: TransferredAmount | undefined;
};

/** End-of-day balances from the bank's statement, as decimal text of the account's currency. */
export type StatementBalances = { readonly opening: string; readonly closing: string };

/** The latest time at which a rail accepts transfers that it pays on the same day. */
export type CutOff = {
  /** Local time, for example `16:00`. */
  readonly time: string;
  /** IANA time zone, for example `Europe/Berlin`. */
  readonly zone: string;
};

/**
 * A rail moves money. `key` is the payout's id. A rail pays a key at most once, however often it is
 * submitted. After an error of `submit` or `query`, the outcome is unknown, and the rail is queried
 * by the key. `test-contract.ts` tests the guarantees that every rail must give.
 */
export type Rail = {
  /**
   * The rail's name. It is stored with each of its payouts and must never change. It has 1 to 64
   * characters of `a-z 0-9 -`.
   */
  readonly name: string;
  readonly capabilities: RailCapabilities;
  /** Returns true if the rail takes new transfers now. An error counts as false. */
  available(): Promise<boolean>;
  /**
   * Returns the shortage that prevents a transfer now. Absent if the rail has no funds of its own.
   */
  shortage?(transfer: Transfer): Promise<Shortage | undefined>;
  /**
   * Set if payouts are paid from a platform account at the rail. The ledger then has a rail account
   * for each currency.
   */
  readonly isFunded?: true;
  /**
   * The time after submission at which an open payout is overdue. If absent, the payout service's
   * default applies.
   */
  readonly overdueAfterMs?: number;
  /** Returns the usual settlement time of a transfer that is submitted at `now`. */
  expectedAt?(transfer: Transfer, now: Date): Date | undefined;
  /**
   * Returns the cut-off for a transfer of this kind with any amount. Absent if the rail has no
   * cut-off.
   */
  cutOff?(transfer: Transfer): CutOff | undefined;
  /** Returns the balances of a day (`yyyy-mm-dd`), if the rail's bank has sent them. */
  statement?(currency: string, day: string): Promise<StatementBalances | undefined>;
  /**
   * Checks an instruction that was never submitted, for example whether its destination can receive
   * the currency. After an error the payout waits. If absent, every instruction passes.
   */
  preflight?(instruction: Instruction): Promise<Preflight>;
  submit(key: string, instruction: Instruction): Promise<RailReply>;
  query(key: string): Promise<RailReply>;
  /**
   * Withdraws a transfer that the rail has not sent yet. `true` means that the rail never pays the
   * key, even if it is submitted afterwards. After that, `query` returns `rejected` without a
   * reason, unless the transfer had already been paid. Absent if the rail can't guarantee this.
   */
  withdraw?(key: string): Promise<boolean>;
  /**
   * Returns `forged` if the signature is not the rail's, and `unreadable` if the body contains no
   * outcome.
   */
  readCallback(body: Uint8Array, signature: string): RailCallback | "forged" | "unreadable";
};
