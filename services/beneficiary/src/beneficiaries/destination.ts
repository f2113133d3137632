import type { KeyedHash } from "@disburse/chassis/crypto/sealing.ts";
import { isBic, isIbanOf, isIfsc } from "@disburse/forms/values/bank-codes.ts";
import type { Fields } from "../records/rules/private-fields.ts";
import type { Opened } from "../records/store.ts";
import { accountNumberOf, type Beneficiary, routingOf } from "./rules/beneficiary.ts";

/**
 * The purpose of account and wallet hashes. If you change it, new hashes never equal stored ones.
 */
export const destinationPurpose = "destination";

/**
 * The number of keys that hash a value for a comparison: the current and the previous one. So
 * hashes from before and after a rotation have one in common.
 */
export const keysCompared = 2;

/**
 * Hashes a destination together with the merchant's id, so that hashes of different merchants
 * cannot be compared. The hash of the current key is first.
 */
export function destinationKeys(
  hashes: readonly KeyedHash[],
  { record, whole }: Pick<Opened<Beneficiary>, "record" | "whole">,
): string[] {
  const text = JSON.stringify([record.merchantId, destinationOf(record, whole)]);
  return hashes.slice(0, keysCompared).map(({ hash }) => hash(text).toString("base64url"));
}

/**
 * Returns the account or wallet as one canonical text, the same for every spelling of its number.
 * Name, address, currency and network are omitted, because a payment that differs in these reaches
 * the same account. Needs the whole body, with a wallet in canonical form.
 */
export function destinationOf({ kind }: Pick<Beneficiary, "kind">, whole: Fields): string {
  const number = accountNumberOf(whole);
  if (kind === "crypto") return `wallet ${number}`;
  const account = number.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
  // An IBAN includes the bank, so no bank code is added.
  if (isIbanOf(account.slice(0, 2), account)) return `iban ${account}`;
  const bank = bankOf(routingOf(whole).routingCodeValue1.toUpperCase());
  return `account ${bank} ${account.replace(/^0+(?=.)/, "")}`;
}

/**
 * Returns the bank part of a routing code. BIC (ISO 9362) and IFSC both start with four letters for
 * the bank. The characters after the country identify a branch, which is dropped, because account
 * numbers are unique within a bank.
 */
function bankOf(code: string): string {
  if (isBic(code)) return code.slice(0, 6);
  return isIfsc(code) ? `${code.slice(0, 4)}IN` : code;
}
