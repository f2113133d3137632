import { isBic, isIbanOf, isIfsc } from "@disburse/forms/values/bank-codes.ts";
import type { Fields } from "../records/rules/private-fields.ts";
import { accountNumberOf, type Beneficiary, routingOf } from "./rules/beneficiary.ts";

/**
 * The account or wallet that is paid, as one text for every way to write it. Name, address,
 * currency and network are left out: with others, the money still arrives there. Needs the whole
 * body, with a wallet in canonical form.
 */
export function destinationOf({ kind }: Pick<Beneficiary, "kind">, whole: Fields): string {
  const number = accountNumberOf(whole);
  if (kind === "crypto") return `wallet ${number}`;
  const account = number.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
  // An IBAN names its bank.
  if (isIbanOf(account.slice(0, 2), account)) return `iban ${account}`;
  const bank = bankOf(routingOf(whole).routingCodeValue1.toUpperCase());
  return `account ${bank} ${account.replace(/^0+(?=.)/, "")}`;
}

/**
 * The bank of a routing code. BIC (ISO 9362) and IFSC begin with the same four letters of the bank;
 * what follows the country is a branch, and an account number is unique within its bank.
 */
function bankOf(code: string): string {
  if (isBic(code)) return code.slice(0, 6);
  return isIfsc(code) ? `${code.slice(0, 4)}IN` : code;
}
