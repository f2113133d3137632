import type { Beneficiary } from "@disburse/sdk/gen/types.ts";

/** A beneficiary's name: of a person with two names, both. */
export function nameOf(beneficiary: Beneficiary): string {
  const { beneficiary_name: name, beneficiary_first_name: first } = beneficiary;
  if (name) return name;
  return [first, beneficiary.beneficiary_last_name].filter(Boolean).join(" ");
}

/** Where its money goes: an account number masked but for its end, an IBAN or an address. */
export function accountOf({ beneficiary_account_number: account, iban }: Beneficiary): string {
  return account ?? iban ?? "";
}

/** Whether what is searched for is part of its name, account or id. */
export function isFound(beneficiary: Beneficiary, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase("en");
  const texts = [nameOf(beneficiary), accountOf(beneficiary), beneficiary.beneficiary_id];
  return texts.some((text) => text.toLocaleLowerCase("en").includes(wanted));
}
