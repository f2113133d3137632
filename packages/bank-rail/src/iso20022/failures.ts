import type { Reason } from "@disburse/bank-files/iso20022/reports/report.ts";
import type { Failure, FailureCode } from "@disburse/kernel/failure.ts";

/**
 * Maps ISO 20022's external lists `ExternalStatusReason1Code` and `ExternalReturnReason1Code`
 * (iso20022.org, external code sets) to failure codes. Reasons that concern only the platform or
 * its bank, such as `AM04` (no funds), stay `UNSPECIFIED`.
 */
const codes: Readonly<Record<string, FailureCode>> = {
  ...of("INVALID_ACCOUNT", "AC01 AC03 AC14 AC15"),
  ...of("ACCOUNT_CLOSED", "AC04 AC07"),
  // MD07: the end customer is deceased.
  ...of("ACCOUNT_BLOCKED", "AC06 MD07"),
  ...of("ACCOUNT_NOT_FOUND", "BE06"),
  ...of("BENEFICIARY_NAME_MISMATCH", "BE01"),
  // RR03: name or address is missing.
  ...of("INVALID_ADDRESS", "BE04 BE11 RR03"),
  ...of("INVALID_NAME", "BE22"),
  ...of("AMOUNT_NOT_ACCEPTED", "AM01 AM02 AM09 AM11 AM12 AM13 AM14 AM21"),
  ...of("CURRENCY_NOT_ACCEPTED", "AM03 AC11 CURR"),
  ...of("INVALID_ROUTING", "AGNT CNOR DNOR RC01 RC04 RC07 RC08 RC10 RC11"),
  ...of("BENEFICIARY_REFUSED", "MS02 NOAS NOOR"),
  ...of("BENEFICIARY_BANK_REJECTED", "AG01 AG07 AG08 MS03 FOCR"),
  ...of("REGULATORY", "LEGL FR01 RR04 RR05 RR06 RR07 RR08 RR09 RR10 RR11 RR12"),
};

function of(code: FailureCode, list: string): Record<string, FailureCode> {
  return Object.fromEntries(list.split(" ").map((each) => [each, code]));
}

const isCode = /^[A-Z]{2}\d{2}$|^[A-Z]{4}$/;

/** Returns the failure for a bank's reason. Leaves out free text, which may name persons. */
export function failureOfReason({ code, proprietary }: Reason): Failure {
  const given = [code, proprietary].map((each) => each?.trim().toUpperCase() ?? "");
  const railCode = given.find((each) => isCode.test(each));
  if (railCode === undefined) return { code: "UNSPECIFIED" };
  return { code: codes[railCode] ?? "UNSPECIFIED", railCode };
}
