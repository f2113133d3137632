/** An account of a customer, by its IBAN or by the number that the bank knows it by. */
export type CustomerAccount = { readonly kind: "iban" | "number"; readonly id: string };

/** What an ACH entry says beside: what a return has to repeat. */
export type AchPart = {
  readonly trace: string;
  /** Of the receiving bank, nine digits. */
  readonly routing: string;
  readonly transactionCode: string;
  readonly entryClass: string;
  readonly companyName: string;
  readonly companyId: string;
  readonly odfi: string;
};

/** A payment as it stands in a file: all that the bank knows of it. Never logged. */
export type Instructed = {
  /** Of its file: `MsgId`, or origin, day and modifier of a NACHA file. */
  readonly fileId: string;
  readonly blockId: string;
  /** Its end-to-end id; of an ACH entry the receiver's identification, 15 characters at most. */
  readonly reference: string;
  readonly uetr?: string;
  /** Hundredths of the currency. */
  readonly minor: bigint;
  readonly currency: string;
  readonly debited: CustomerAccount;
  readonly creditorName: string;
  readonly creditorAccount: string;
  /** The day on which the account is to be debited, `yyyy-mm-dd`; "" where a file names none. */
  readonly requestedOn: string;
  readonly ach?: AchPart;
};

/** Payments of one account, day and currency. */
export type Block = {
  readonly id: string;
  /** Whether the customer wants them booked in one sum. */
  readonly inOneSum: boolean;
  readonly account: CustomerAccount;
  readonly currency: string;
  readonly payments: readonly Instructed[];
};

/** A file of a customer, read by the bank. */
export type CustomerFile = {
  readonly format: "pain.001.001.03" | "pain.001.001.09" | "nacha";
  readonly id: string;
  readonly blocks: readonly Block[];
  /** What a bank refuses the whole file for; none in a good one. */
  readonly faults: readonly string[];
};
