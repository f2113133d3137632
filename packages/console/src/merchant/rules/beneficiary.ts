import type { Beneficiary } from "@disburse/sdk/gen/types.ts";

/** Returns a beneficiary's name. For a person, this is first and last name. */
export function nameOf(beneficiary: Beneficiary): string {
  const { beneficiary_name: name, beneficiary_first_name: first } = beneficiary;
  if (name) return name;
  return [first, beneficiary.beneficiary_last_name].filter(Boolean).join(" ");
}

/** Returns the destination: a masked account number, an IBAN or a wallet address. */
export function accountOf({ beneficiary_account_number: account, iban }: Beneficiary): string {
  return account ?? iban ?? "";
}

/** Names the currency, the method and the account. */
export const destinationOf = (beneficiary: Beneficiary): string =>
  [beneficiary.destination_currency, beneficiary.transfer_method, accountOf(beneficiary)].join(" ");

/** Matches a search text with name, account or id. */
export function isFound(beneficiary: Beneficiary, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase("en");
  const texts = [nameOf(beneficiary), accountOf(beneficiary), beneficiary.beneficiary_id];
  return texts.some((text) => text.toLocaleLowerCase("en").includes(wanted));
}
