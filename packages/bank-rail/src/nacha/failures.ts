import type { Reason } from "@disburse/bank-files/iso20022/reports/report.ts";
import type { Failure, FailureCode } from "@disburse/kernel/failure.ts";

/**
 * Maps return reason codes of credits (Nacha Operating Rules, appendix four) to failure codes.
 * Codes for debits, such as R07 or R29, do not apply to a credit.
 */
const codes: Readonly<Record<string, FailureCode>> = {
  R02: "ACCOUNT_CLOSED",
  R03: "ACCOUNT_NOT_FOUND",
  R04: "INVALID_ACCOUNT",
  // The account was sold to another bank.
  R12: "INVALID_ROUTING",
  R13: "INVALID_ROUTING",
  // The holder or the beneficiary is deceased.
  R14: "ACCOUNT_BLOCKED",
  R15: "ACCOUNT_BLOCKED",
  // The account is frozen, or OFAC sanctions apply.
  R16: "ACCOUNT_BLOCKED",
  R17: "BENEFICIARY_BANK_REJECTED",
  // The account is not a transaction account.
  R20: "INVALID_ACCOUNT",
  // The receiver's identification number is wrong.
  R22: "INVALID_NAME",
  R23: "BENEFICIARY_REFUSED",
  R26: "BENEFICIARY_BANK_REJECTED",
  R28: "INVALID_ROUTING",
  R31: "BENEFICIARY_BANK_REJECTED",
  R32: "INVALID_ROUTING",
  R34: "BENEFICIARY_BANK_REJECTED",
};

export function failureOfReturn({ code: railCode }: Reason): Failure {
  if (railCode === undefined) return { code: "UNSPECIFIED" };
  return { code: codes[railCode] ?? "UNSPECIFIED", railCode };
}
