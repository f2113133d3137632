/**
 * The public failure codes of payouts and their messages. Every rail maps its own codes to this
 * closed list. Codes may be added. A code may never be removed or get another meaning.
 */
export const failureMessages = {
  ACCOUNT_BLOCKED: "The beneficiary's account takes no payments at present.",
  ACCOUNT_CLOSED: "The beneficiary's account is closed.",
  ACCOUNT_NOT_FOUND: "The beneficiary's bank has no such account.",
  AMOUNT_NOT_ACCEPTED: "The amount is not one that the beneficiary's bank accepts.",
  APPROVAL_EXPIRED: "The payout was not approved in time.",
  APPROVAL_REJECTED: "The payout was not approved.",
  BENEFICIARY_BANK_REJECTED: "The beneficiary's bank rejected the payment.",
  BENEFICIARY_NAME_MISMATCH: "The name is not that of the account's holder.",
  BENEFICIARY_REFUSED: "The beneficiary refused the payment.",
  CANCELLED: "The payout was cancelled before it was paid.",
  CURRENCY_NOT_ACCEPTED: "The beneficiary's account does not take the currency.",
  INVALID_ACCOUNT: "The account number or wallet address is not valid.",
  INVALID_ADDRESS: "The beneficiary's address is not complete enough for the payment.",
  INVALID_NAME: "The beneficiary's name is not one that the rail carries.",
  INVALID_REMITTANCE: "The remittance information or purpose is not one that the rail carries.",
  INVALID_ROUTING: "The routing code is not that of a bank that takes such payments.",
  REGULATORY: "A rule of a country or bank on the way forbids the payment.",
  TRANSFER_REVERTED:
    "The chain reverted the transfer: the token or the recipient's wallet refused it.",
  UNSPECIFIED: "The rail gave no reason.",
} as const;

export type FailureCode = keyof typeof failureMessages;

export const failureCodes = Object.keys(failureMessages) as readonly FailureCode[];

/** The reason why a rail did not pay, or why the money was returned. */
export type Failure = {
  readonly code: FailureCode;
  /** The rail's own code, such as `AC04` or `R02`. */
  readonly railCode?: string;
};
