import type { BeneficiaryForm } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import type { FormField } from "./rules/form-field.ts";

const { groups } = t.forms;

/** The group of a field: the first whose pattern matches its name. */
const patterns = [
  [
    "account",
    /^(?:iban|bic|currency_type|transfer_type)$|^routing_|^destination_|account|bank|wallet/,
  ],
  ["contact", /address|city|state|postcode|country|email|contact/],
  ["party", /^/],
] as const;

/** Groups the fields of a beneficiary in the order in which people know them. */
export function humanGroups(form: BeneficiaryForm, fields: readonly FormField[]) {
  const { beneficiary_account_type: kind, beneficiary_type: type } = form;
  const titles = [
    ["party", kind === "Corporate" ? groups.company : groups.person],
    ["account", type === "crypto" ? groups.wallet : groups.bank],
    ["contact", groups.contact],
  ] as const;
  const found = Map.groupBy(
    fields,
    ({ path }) => patterns.find(([, each]) => each.test(path))?.[0],
  );
  return titles.flatMap(([name, title]) => {
    const own = found.get(name);
    return own === undefined ? [] : [{ title, fields: own }];
  });
}
