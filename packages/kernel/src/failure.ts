/**
 * The public failure codes of payouts and their messages. Every rail maps its own codes to this
 * closed list. Codes may be added. A code may never be removed or get another meaning.
 */
export const failureMessages = {
  ACCOUNT_BLOCKED: "The beneficiary's account does not accept payments at present.",
  ACCOUNT_CLOSED: "The beneficiary's account is closed.",
  ACCOUNT_NOT_FOUND: "The account does not exist at the beneficiary's bank.",
  AMOUNT_NOT_ACCEPTED: "The beneficiary's bank does not accept the amount.",
  APPROVAL_EXPIRED: "The payout was not approved in time.",
  APPROVAL_REJECTED: "An approver rejected the payout.",
  BENEFICIARY_BANK_REJECTED: "The beneficiary's bank rejected the payment.",
  BENEFICIARY_NAME_MISMATCH: "The name does not match the account holder.",
  BENEFICIARY_REFUSED: "The beneficiary refused the payment.",
  CANCELLED: "The payout was cancelled before it was paid.",
  CURRENCY_NOT_ACCEPTED: "The beneficiary's account does not accept the currency.",
  INVALID_ACCOUNT: "The account number or wallet address is not valid.",
  INVALID_ADDRESS: "The beneficiary's address is not complete enough for the payment.",
  INVALID_NAME: "The rail cannot send the beneficiary's name.",
  INVALID_REMITTANCE: "The rail cannot send the remittance information or the purpose.",
  INVALID_ROUTING: "The routing code does not belong to a bank that accepts these payments.",
  REGULATORY: "A rule of a country or an intermediary bank forbids the payment.",
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
