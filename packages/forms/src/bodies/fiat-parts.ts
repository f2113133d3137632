import type { Pattern, Rule, TextField } from "../fields/field.ts";
import { textField } from "../fields/make.ts";
import { companyName, personNames } from "./names.ts";

/** What the forms of fiat beneficiaries have in common. */

const isIndividual = { field: "beneficiary_account_type", in: ["Individual"] } as const;
const isCorporate = { field: "beneficiary_account_type", in: ["Corporate"] } as const;

/** Of the name, the other type's is ignored. */
export const nameFields: readonly TextField[] = [
  textField("beneficiary_first_name", "First name; of an Individual.", "Jane", {
    when: isIndividual,
  }),
  textField("beneficiary_last_name", "Last name; of an Individual.", "Doe", {
    when: isIndividual,
  }),
  textField("beneficiary_name", "Name of the company; of a Corporate.", "Doe Trading LLC", {
    when: isCorporate,
  }),
];

/** Whole names, of either type. */
export const nameRules: readonly Rule[] = [
  personNames("beneficiary_first_name", "beneficiary_last_name", isIndividual),
  companyName("beneficiary_name", isCorporate),
];

/** ISO 9362, upper case, 8 or 11 characters. */
export const bicPattern: Pattern = {
  source: "^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$",
  problem: "must be a valid BIC",
};
