import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailCapabilities, Transfer } from "./capabilities.ts";
import type { Outcome, RailReport, TransferredAmount } from "./report.ts";

/** The texts that a merchant gives with a payment. */
export type PaymentTexts = {
  readonly referenceId: string;
  /** For the beneficiary; may name persons. */
  readonly remittanceInformation: string;
  /** An ISO 20022 external purpose code. */
  readonly purposeCode: string;
};

/** A payment instruction. Never logged: it has the full account number. */
export type Instruction = PaymentTexts & {
  /** The sandbox rail simulates outcomes for each merchant. */
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
  /** `Personal Savings` and the like; "" if unknown. */
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
 * The reply of a rail. `pollAfterMs` is the delay before the next poll; if absent, the rail asks
 * for no poll.
 */
export type RailReply = RailReport & {
  readonly pollAfterMs?: number;
  /**
   * Charges that the bank took on top of the amount of a settled transfer, oldest first. The list
   * only grows: the index of a charge identifies it.
   */
  readonly charges?: readonly TransferredAmount[];
  /**
   * The reason why an earlier reply may no longer be valid, for example a deep reorganisation of a
   * chain. No money moves, and the payout gets an exception.
   */
  readonly contradiction?: string;
};

/**
 * A rail lacks the coin for its chain's fees (`LOW_GAS`) or the currency to pay out (`LOW_FUNDS`).
 */
export type Shortage = "LOW_GAS" | "LOW_FUNDS";

/** The result of the checks before a transfer is submitted. */
export type Preflight =
  | { readonly kind: "ok" }
  /**
   * The rail cannot send it now; payout checks again later. `reason`: for operators, ≤ 200
   * characters.
   */
  | { readonly kind: "wait"; readonly reason: string }
  /** The rail will never send it: the payout fails, and its hold is released. */
  | { readonly kind: "refuse"; readonly failure: Failure };

/** A callback of a rail with a verified signature. */
export type RailCallback = {
  /** The key that the transfer was submitted under. */
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
 * A way to move money. `key` is the payout's id: a rail pays a key at most once, however often it
 * is submitted. After an error of `submit` or `query` the outcome is unknown, and the rail is
 * polled by the key. `test-contract.ts` tests what every rail has to guarantee.
 */
export type Rail = {
  /** Stored with each payout that it is sent: must never change. 1 to 64 of `a-z 0-9 -`. */
  readonly name: string;
  readonly capabilities: RailCapabilities;
  /** Returns true if the rail takes new transfers now. An error counts as false. */
  available(): Promise<boolean>;
  /**
   * Returns the shortage that keeps the rail from sending a transfer now. Absent if the rail has no
   * funds of its own.
   */
  shortage?(transfer: Transfer): Promise<Shortage | undefined>;
  /**
   * Set if payouts are paid from a platform account at the rail. The ledger then keeps a rail
   * account for each currency.
   */
  readonly isFunded?: true;
  /** Time after submission when an open payout is overdue; absent: the service's default. */
  readonly overdueAfterMs?: number;
  /** Returns the usual settlement time of a transfer that is submitted at `now`. */
  expectedAt?(transfer: Transfer, now: Date): Date | undefined;
  /** Returns the cut-off for such a transfer of any amount. Absent if the rail has no cut-off. */
  cutOff?(transfer: Transfer): CutOff | undefined;
  /** Returns the balances of a day (`yyyy-mm-dd`) if the rail's bank has sent them. */
  statement?(currency: string, day: string): Promise<StatementBalances | undefined>;
  /**
   * Checks an instruction that was never submitted, such as a destination that cannot receive the
   * currency. After an error the payout waits. Absent: every instruction passes.
   */
  preflight?(instruction: Instruction): Promise<Preflight>;
  submit(key: string, instruction: Instruction): Promise<RailReply>;
  query(key: string): Promise<RailReply>;
  /**
   * Takes back a transfer that the rail has not sent yet. `true` means that the rail never pays the
   * key, even if it is submitted afterwards. `query` then reports `rejected` without a reason,
   * unless the transfer had been paid before. Absent if the rail cannot guarantee this.
   */
  withdraw?(key: string): Promise<boolean>;
  /** `forged`: the signature is not the rail's; `unreadable`: the body has no outcome. */
  readCallback(body: Uint8Array, signature: string): RailCallback | "forged" | "unreadable";
};
