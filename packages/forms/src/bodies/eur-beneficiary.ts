import { type Field, type Form, optional, type Rule } from "../fields/field.ts";
import {
  aliasField,
  choiceField,
  countryField,
  ibanForm,
  lengths,
  metadataField,
  referenceField,
  textField,
} from "../fields/make.ts";
import { isBic, isSepaIban } from "../values/bank-codes.ts";
import { carriedField, type FormMethods, latinName, postcodeGiven } from "./carried.ts";
import { bicPattern, latinNameIsLatin, nameFields, nameRules } from "./fiat-parts.ts";

/** Decisions §9, "The added `EUR` form of the fiat beneficiary". */

const methods: FormMethods = { SEPA: "SEPA" };

const fields: readonly Field[] = [
  ...nameFields,
  choiceField("beneficiary_account_type", "Type of beneficiary.", ["Individual", "Corporate"]),
  choiceField("destination_currency", "Destination currency.", ["EUR"]),
  choiceField("transfer_type", "Payment method.", ["SEPA"]),
  textField(
    "iban",
    "IBAN of the account. Blanks are removed, and lower-case letters become capitals.",
    "DE89370400440532013000",
    {
      maxLength: lengths.accountNumber,
      pattern: { source: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$", problem: "must be a valid IBAN" },
      normal: ibanForm("[A-Za-z]{2} ?[0-9]{2}(?: ?[A-Za-z0-9]){11,30}"),
    },
  ),
  optional(
    textField("bic", "BIC of the account's bank; the IBAN alone is enough.", "COBADEFFXXX", {
      pattern: bicPattern,
    }),
  ),
  carriedField(
    textField("beneficiary_address", "Address line: street and number.", "1 Hauptstrasse"),
    "street",
    methods,
  ),
  carriedField(textField("beneficiary_city", "City.", "Frankfurt am Main"), "town", methods),
  carriedField(
    textField("beneficiary_postcode", "Post code.", "60311", { maxLength: lengths.postcode }),
    "postcode",
    methods,
  ),
  { ...countryField("beneficiary_country_code", "Country of residence."), example: "DE" },
];

const sepaIban: Rule = {
  description: "The account number must be a valid IBAN (ISO 13616) of a SEPA country.",
  reads: ["iban"],
  reports: "iban",
  check: (text) =>
    isSepaIban(text("iban")) ? undefined : "must be a valid IBAN of a country in SEPA",
};

const bicOfBank: Rule = {
  description: "The BIC must have the format of ISO 9362.",
  reads: ["bic"],
  reports: "bic",
  check: (text) => {
    const bic = text("bic");
    return bic === "" || isBic(bic) ? undefined : "must be a valid BIC";
  },
};

export const eurBeneficiary: Form = {
  name: "fiat_beneficiary_eur",
  description: "A bank account that is paid in EUR over SEPA.",
  selectedBy: [{ field: "destination_currency", in: ["EUR"] }],
  fields: [...fields, aliasField, referenceField, metadataField],
  rules: [
    sepaIban,
    bicOfBank,
    ...nameRules,
    latinName,
    latinNameIsLatin,
    postcodeGiven(["beneficiary_country_code"]),
  ],
};
