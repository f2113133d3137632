import {
  type Form,
  optional,
  type PublicBody,
  type Rule,
  type TextField,
} from "../fields/field.ts";
import { choiceField, textField, withExamples } from "../fields/make.ts";
import { isAbaRoutingNumber, isBic, isIbanOf, isIfsc, usesIban } from "../values/bank-codes.ts";
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

/** Fiat `USDC` is paid over bank rails and follows the rules of USD (decisions: beneficiaries). */
const usdCurrencies = ["USD", "USDC"] as const;
const bySwift = { field: "routing_code_type_1", in: ["SWIFT"] } as const;

const typeFitsTransfer: Rule = {
  description: "A SWIFT transfer is routed by SWIFT, an ACH or LOCAL one by ACH CODE.",
  reads: ["transfer_type", "routing_code_type_1"],
  reports: "routing_code_type_1",
  check: (text) => {
    const transfer = text("transfer_type");
    const type = transfer === "SWIFT" ? "SWIFT" : "ACH CODE";
    if (text("routing_code_type_1") === type) return undefined;
    return `must be ${type} where transfer_type is ${transfer}`;
  },
};

const domestic: Rule = {
  description: "ACH and LOCAL transfers of USD and USDC stay in the United States.",
  reads: ["transfer_type", "destination_country"],
  reports: "destination_country",
  check: (text) => {
    const transfer = text("transfer_type");
    if (transfer === "SWIFT" || text("destination_country") === "US") return undefined;
    return `must be US where transfer_type is ${transfer}`;
  },
};

const routingNumber: Rule = {
  description: "SWIFT takes a BIC (ISO 9362), ACH CODE an ABA routing number with its checksum.",
  reads: ["routing_code_type_1", "routing_code_value_1"],
  reports: "routing_code_value_1",
  check: (text) => {
    const value = text("routing_code_value_1");
    if (text("routing_code_type_1") === "SWIFT") {
      return isBic(value) ? undefined : "must be a valid BIC";
    }
    return isAbaRoutingNumber(value) ? undefined : "must be a valid ABA routing number";
  },
};

const routingNumberField: TextField = {
  ...routingValue("BIC or ABA routing number, by the type.", "021000021"),
  variants: [
    {
      when: { field: "transfer_type", in: ["SWIFT"] },
      example: "CHASUS33",
      pattern: {
        source: "^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$",
        problem: "must be a valid BIC",
      },
    },
    {
      when: { field: "transfer_type", in: ["ACH", "LOCAL"] },
      example: "021000021",
      pattern: { source: "^[0-9]{9}$", problem: "must be a valid ABA routing number" },
    },
  ],
};

/** Where the account is held says the bank's country; the destination does where none is given. */
const iban: Rule = {
  description: "Where the bank's country uses IBAN (ISO 13616), the account number is a valid one.",
  when: { field: "transfer_type", in: ["SWIFT"] },
  reads: ["destination_country", "beneficiary_bank_country_code"],
  reports: "beneficiary_account_number",
  check: (text) => {
    const country = text("beneficiary_bank_country_code") || text("destination_country");
    if (!usesIban(country) || isIbanOf(country, text("beneficiary_account_number"))) {
      return undefined;
    }
    return `must be a valid IBAN of ${country}`;
  },
};

/** Service interface, "USD/USDC beneficiary". */
const usdBeneficiary: Form = {
  name: "fiat_beneficiary_usd",
  description: "A bank account that is paid in USD or USDC.",
  selectedBy: [{ field: "destination_currency", in: usdCurrencies }],
  fields: [
    ...nameFields,
    email,
    accountType,
    choiceField("destination_currency", "Destination currency.", usdCurrencies),
    choiceField("transfer_type", "How the money is sent.", ["ACH", "SWIFT", "LOCAL"]),
    destinationCountry,
    optional(residence),
    choiceField("routing_code_type_1", "Follows the transfer type.", ["ACH CODE", "SWIFT"]),
    routingNumberField,
    ...secondRouting,
    ...residenceAddress,
    accountNumber("1234567890"),
    ...contact,
    optional(alias),
    optional(bankName),
    ...bankAddress.map((field) => ({ ...field, required: bySwift })),
    counterPartyAlias,
    relationship,
  ],
  rules: [typeFitsTransfer, domestic, routingNumber, iban],
};

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
const inrBeneficiary: Form = {
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

/** `POST /api/v1/transfer/fiat/beneficiary`. */
export const fiatBeneficiary: PublicBody = {
  name: "fiat_beneficiary",
  description: "A recipient of money in a bank account.",
  forms: [usdBeneficiary, inrBeneficiary],
  unselected: {
    name: "fiat_beneficiary",
    description: "Neither of USD or USDC nor of INR.",
    selectedBy: [],
    fields: [
      ...nameFields,
      email,
      accountType,
      choiceField("destination_currency", "Destination currency.", [...usdCurrencies, "INR"]),
      choiceField("transfer_type", "How the money is sent.", ["ACH", "SWIFT", "LOCAL"]),
      destinationCountry,
      optional(residence),
      textField("routing_code_type_1", "Follows the transfer type.", "ACH CODE"),
      routingValue("Routing value for the type.", "021000021"),
      ...secondRouting,
      ...residenceAddress,
      accountNumber("1234567890"),
      ...contact,
      optional(alias),
      optional(bankName),
      ...bankAddress.map(optional),
      counterPartyAlias,
      relationship,
    ],
    rules: [],
  },
};
