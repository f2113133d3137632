import type { Depositor } from "@disburse/sdk/gen/types.ts";

/** A depositor's name: of a person, a company, or the merchant's own business by its id. */
export function depositorName(depositor: Depositor): string {
  const { firstname, lastname } = depositor.depositor_details?.person_details ?? {};
  const person = [firstname, lastname].filter(Boolean).join(" ");
  const business = depositor.depositor_business_details?.name;
  return person || business || depositor.depositor_business_id || depositor.id;
}
