import { isReadable, isRomanisable } from "@disburse/kernel/payment-methods/romanisation.ts";
import type { Field, Pattern, Rule, TextField } from "../fields/field.ts";
import { textField } from "../fields/make.ts";
import { personNameProblem } from "../values/names.ts";
import { companyName, personNames } from "./names.ts";

/** Fields and rules that all fiat beneficiary forms share. */

const isIndividual = { field: "beneficiary_account_type", in: ["Individual"] } as const;
const isCorporate = { field: "beneficiary_account_type", in: ["Corporate"] } as const;

/**
 * The maximum length of a whole name: a first and a last name of 255 characters each, and a space
 * between them.
 */
const wholeNameMax = 511;

/**
 * A pattern for text with at least one Latin letter, which may also contain digits and punctuation.
 */
const latinLetters =
  "^(?=.*\\p{Script=Latin})[\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}]+$";

const latinText = new RegExp(latinLetters, "u");

/** The bank needs a real name in letters that its file format can carry. */
export const latinNameIsLatin: Rule = {
  description:
    "`beneficiary_name_latin` is in Latin letters that banks carry, and is not a placeholder such as N/A.",
  reads: ["beneficiary_name_latin"],
  reports: "beneficiary_name_latin",
  check: (text) => {
    const name = text("beneficiary_name_latin");
    if (name === "") return undefined;
    if (!latinText.test(name)) return "must be in Latin letters";
    if (!isRomanisable(name) || !isReadable(name)) return "must be in letters that banks carry";
    return personNameProblem(name);
  },
};

/** The name that a bank receives instead of the original one. */
export const latinNameField: TextField = textField(
  "beneficiary_name_latin",
  "The whole name in Latin letters, as the bank gets it. Required where the name is in a script other than Latin, Greek and Cyrillic.",
  "Jane Doe",
  {
    required: false,
    maxLength: wholeNameMax,
    shape: latinLetters,
    variants: [{ when: isCorporate, example: "Doe Trading LLC" }],
  },
);

/** The name fields of both account types. Fields of the other account type are ignored. */
export const nameFields: readonly Field[] = [
  textField("beneficiary_first_name", "First name; of an Individual.", "Jane", {
    required: { field: "beneficiary_single_name", set: false },
    when: isIndividual,
  }),
  textField("beneficiary_last_name", "Last name; of an Individual.", "Doe", {
    when: isIndividual,
  }),
  {
    name: "beneficiary_single_name",
    kind: "flag",
    required: false,
    when: isIndividual,
    description:
      "`true` for a person with one name, sent as `beneficiary_last_name`; then `beneficiary_first_name` may be left out.",
    example: false,
  },
  textField("beneficiary_name", "Name of the company; of a Corporate.", "Doe Trading LLC", {
    when: isCorporate,
  }),
  latinNameField,
];

export const nameRules: readonly Rule[] = [
  ...personNames("beneficiary_first_name", "beneficiary_last_name", { when: isIndividual }),
  companyName("beneficiary_name", isCorporate),
];

export const bicPattern: Pattern = {
  source: "^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$",
  problem: "must be a valid BIC",
};
