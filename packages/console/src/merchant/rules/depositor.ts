import type { Depositor } from "@disburse/sdk/gen/types.ts";

/** Returns the name of a person or company, or the id of the merchant's own business. */
export function depositorName(depositor: Depositor): string {
  const { firstname, lastname } = depositor.depositor_details?.person_details ?? {};
  const person = [firstname, lastname].filter(Boolean).join(" ");
  const business = depositor.depositor_business_details?.name;
  return person || business || depositor.depositor_business_id || depositor.id;
}
