/** A customer's account, identified by IBAN or by the bank's account number. */
export type CustomerAccount = { readonly kind: "iban" | "number"; readonly id: string };

/** The ACH fields that a return must repeat. */
export type AchPart = {
  readonly trace: string;
  readonly routing: string;
  readonly transactionCode: string;
  readonly entryClass: string;
  readonly companyName: string;
  readonly companyId: string;
  readonly odfi: string;
};

/** A payment as read from a file. Personal data: never log it. */
export type Instructed = {
  /** `MsgId`, or the origin, day and modifier of a NACHA file. */
  readonly fileId: string;
  readonly blockId: string;
  /** The end-to-end id, or an ACH entry's receiver identification of at most 15 characters. */
  readonly reference: string;
  readonly uetr?: string;
  /** In hundredths. */
  readonly minor: bigint;
  readonly currency: string;
  readonly debited: CustomerAccount;
  readonly creditorName: string;
  readonly creditorAccount: string;
  /** Requested debit date, `yyyy-mm-dd`. Empty where the file has none. */
  readonly requestedOn: string;
  readonly ach?: AchPart;
};

/** Payments with the same account, day and currency. */
export type Block = {
  readonly id: string;
  /** The customer requests booking in one sum. */
  readonly inOneSum: boolean;
  readonly account: CustomerAccount;
  readonly currency: string;
  readonly payments: readonly Instructed[];
};

export type CustomerFile = {
  readonly format: "pain.001.001.03" | "pain.001.001.09" | "nacha";
  readonly id: string;
  readonly blocks: readonly Block[];
  /** Reasons to refuse the whole file. Empty if it is valid. */
  readonly faults: readonly string[];
};
