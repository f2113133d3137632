import { isIfsc } from "./bank-codes.ts";
import {
  accountNumber,
  accountType,
  alias,
  bankAddress,
  bankName,
  contact,
  counterPartyAlias,
  destinationCountry,
  email,
  nameFields,
  relationship,
  residence,
  residenceAddress,
  routingValue,
  secondRouting,
} from "./fiat-fields.ts";
import type { Form, Rule, TextField } from "./field.ts";
import { choiceField, textField, withExamples } from "./make-field.ts";

const inIndia: Rule = {
  description: "INR is sent to India.",
  reads: ["destination_country"],
  reports: "destination_country",
  check: (text) => (text("destination_country") === "IN" ? undefined : "must be IN"),
};

const branchCode: Rule = {
  description: "The routing value is an IFSC.",
  reads: ["routing_code_value_1"],
  reports: "routing_code_value_1",
  check: (text) => (isIfsc(text("routing_code_value_1")) ? undefined : "must be a valid IFSC"),
};

const inrFields: readonly TextField[] = [
  ...nameFields,
  email,
  accountType,
  choiceField("destination_currency", "Destination currency.", ["INR"]),
  choiceField("transfer_type", "How the money is sent.", ["LOCAL"]),
  { ...destinationCountry, example: "IN" },
  { ...residence, example: "IN" },
  textField("routing_code_type_1", "Routing code type, as a rule IFSC.", "IFSC"),
  {
    ...routingValue("IFSC of the branch.", "HDFC0000001"),
    pattern: { source: "^[A-Z]{4}0[A-Z0-9]{6}$", problem: "must be a valid IFSC" },
  },
  ...secondRouting,
  ...residenceAddress,
  accountNumber("50100123456789"),
  ...contact.map((field) => ({ ...field, required: true })),
  alias,
  bankName,
  ...bankAddress,
  choiceField("currency_type", "Kind of currency.", ["Fiat"]),
  choiceField("beneficiary_bank_account_type", "Kind of bank account.", [
    "Business Checking",
    "Business Savings",
    "Personal Checking",
    "Personal Savings",
  ]),
  counterPartyAlias,
  relationship,
];

/** Service interface, "INR beneficiary": every field of its table is required. */
export const inrBeneficiary: Form = {
  name: "fiat_beneficiary_inr",
  description: "A bank account that is paid in INR.",
  selectedBy: [{ field: "destination_currency", in: ["INR"] }],
  fields: withExamples(inrFields, {
    beneficiary_first_name: "Asha",
    beneficiary_last_name: "Rao",
    beneficiary_name: "Rao Exports Private Limited",
    beneficiary_email: "asha.rao@example.com",
    beneficiary_state: "Maharashtra",
    beneficiary_address: "1 Marine Drive",
    beneficiary_city: "Mumbai",
    beneficiary_postcode: "400020",
    beneficiary_contact_country_code: "91",
    beneficiary_contact_number: "9820012345",
    beneficiary_alias: "asha",
    beneficiary_bank_address: "2 Fort Road",
    beneficiary_bank_city: "Mumbai",
    beneficiary_bank_postcode: "400001",
    beneficiary_bank_state: "Maharashtra",
    beneficiary_bank_country_code: "IN",
    counter_party_alias: "asha-inr",
  }),
  rules: [inIndia, branchCode],
};
