import type { Failure } from "@disburse/kernel/failure.ts";
import type { RailCapabilities, Transfer } from "./capabilities.ts";
import type { Outcome, RailReport, TransferredAmount } from "./report.ts";

/** The texts that a merchant gives with a payment. */
export type PaymentTexts = {
  /** The merchant's own reference. */
  readonly referenceId: string;
  /** For the beneficiary; may name persons. */
  readonly remittanceInformation: string;
  /** An ISO 20022 external purpose code. */
  readonly purposeCode: string;
};

/** A payment instruction. Never logged: it has the full account number. */
export type Instruction = PaymentTexts & {
  /** Who pays; the sandbox has scenarios of merchants. */
  readonly merchantId: string;
  readonly currency: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  /** `CRYPTO`, `SWIFT`, `ACH`, `LOCAL` or `SEPA`. */
  readonly transferMethod: string;
  /** Of a crypto transfer; else "". */
  readonly network: string;
  readonly beneficiaryName: string;
  readonly accountNumber: string;
  readonly routingCodeType: string;
  readonly routingCodeValue: string;
  readonly destinationCountry: string;
  /** `Individual` or `Corporate`. */
  readonly accountType: string;
  /** `Personal Savings` and the like; "" where it is not known. */
  readonly bankAccountType: string;
  /** Where the beneficiary lives, in its parts, each "" where it is not known. */
  readonly address: {
    readonly street: string;
    readonly city: string;
    readonly state: string;
    readonly postcode: string;
    readonly countryCode: string;
  };
};

/** The reply of a rail, and when to poll it next; without a time, not at all. */
export type RailReply = RailReport & {
  readonly pollAfterMs?: number;
  /**
   * Charges that the bank took on top of the amount of a settled transfer, oldest first. The list
   * only grows: the place of a charge in it is its name.
   */
  readonly charges?: readonly TransferredAmount[];
  /**
   * Why what the rail said before may not hold any more, as after a deep reorganisation of a chain:
   * nothing moves, and the payout gets an exception.
   */
  readonly contradiction?: string;
};

/** What a rail has too little of for a transfer: fees of its chain, or what it pays out. */
export type Shortage = "LOW_GAS" | "LOW_FUNDS";

/** The result of the checks before a transfer is submitted. */
export type Preflight =
  | { readonly kind: "ok" }
  /** The rail cannot send it now; payout asks again later. `reason`: for operators, ≤ 200 characters. */
  | { readonly kind: "wait"; readonly reason: string }
  /** The rail will never send it: the payout fails, and its hold is released. */
  | { readonly kind: "refuse"; readonly failure: Failure };

/** A callback of a rail, its signature verified. */
export type RailCallback = {
  /** The key that the transfer was submitted under. */
  readonly key: string;
  readonly status: Outcome;
  readonly transferred?: TransferredAmount | undefined;
};

/** What a bank says of an account of ours at the end of a day, as decimal text of its currency. */
export type StatementBalances = { readonly opening: string; readonly closing: string };

/** Until when of a day a rail takes what it pays that day. */
export type CutOff = {
  /** `16:00`. */
  readonly time: string;
  /** Its time zone, as IANA names it: `Europe/Berlin`. */
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
  /** Whether it takes new transfers now; an error means that it does not. */
  available(): Promise<boolean>;
  /** What it has too little of for a transfer now; absent where a rail has no funds of its own. */
  shortage?(transfer: Transfer): Promise<Shortage | undefined>;
  /** Where payouts are paid from money of ours at the rail, which the ledger keeps by currency. */
  readonly isFunded?: true;
  /** When an open payout is overdue, after its submission; absent: the service's default. */
  readonly overdueAfterMs?: number;
  /** When a transfer that is submitted at `now` is settled, as a rule. */
  expectedAt?(transfer: Transfer, now: Date): Date | undefined;
  /** Its cut-off for a transfer like this, whatever its amount; absent where a rail has none. */
  cutOff?(transfer: Transfer): CutOff | undefined;
  /** The balances of a day, `yyyy-mm-dd`, where the rail's bank has sent them. */
  statement?(currency: string, day: string): Promise<StatementBalances | undefined>;
  /**
   * Checks an instruction that was never submitted, such as a destination that cannot receive the
   * currency. After an error the payout waits. Absent: every instruction passes.
   */
  preflight?(instruction: Instruction): Promise<Preflight>;
  submit(key: string, instruction: Instruction): Promise<RailReply>;
  query(key: string): Promise<RailReply>;
  /**
   * Takes a transfer back that is not on its way yet. `true`: the key is never paid, also where it
   * is submitted afterwards, and `query` says `rejected` without a reason of one that was not paid
   * before. Absent where a rail cannot tell.
   */
  withdraw?(key: string): Promise<boolean>;
  /** `forged`: the signature is not the rail's; `unreadable`: the body has no outcome. */
  readCallback(body: Uint8Array, signature: string): RailCallback | "forged" | "unreadable";
};
