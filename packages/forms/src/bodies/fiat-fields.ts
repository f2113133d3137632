import type { TextField } from "../fields/field.ts";
import {
  alphanumeric,
  choiceField,
  countryField,
  digitsField,
  emailField,
  lengths,
  onlyWhen,
  textField,
} from "../fields/make.ts";

/** Entries that the fiat forms share (service interface, "Fiat beneficiary (request fields)"). */

const isIndividual = { field: "beneficiary_account_type", in: ["Individual"] } as const;
const isCorporate = { field: "beneficiary_account_type", in: ["Corporate"] } as const;

/** Name rules: first and last of a person, one name of a company; the other's are ignored. */
export const nameFields: readonly TextField[] = [
  onlyWhen(
    isIndividual,
    textField("beneficiary_first_name", "First name; of an Individual.", "Jane"),
  ),
  onlyWhen(isIndividual, textField("beneficiary_last_name", "Last name; of an Individual.", "Doe")),
  onlyWhen(
    isCorporate,
    textField("beneficiary_name", "Name of the company; of a Corporate.", "Doe Trading LLC"),
  ),
];

/** The e-mail address. */
export const email = emailField("beneficiary_email", "E-mail address.");

/** Whether a person or a company is paid. */
export const accountType = choiceField("beneficiary_account_type", "Type of beneficiary.", [
  "Individual",
  "Corporate",
]);

/** The country of the account. */
export const destinationCountry = countryField(
  "destination_country",
  "Country that the money is sent to.",
);

/** The country of residence. */
export const residence = countryField("beneficiary_country_code", "Country of residence.");

/** The routing code of the bank or branch. */
export const routingValue = (description: string, example: string): TextField =>
  textField("routing_code_value_1", description, example, { maxLength: lengths.routingValue });

/** A second routing code, where a bank asks for one. */
export const secondRouting: readonly TextField[] = [
  textField("routing_code_type_2", "Second routing code type.", "BRANCH", { required: false }),
  textField("routing_code_value_2", "Second routing value.", "001", { required: false }),
];

/** The address of residence. */
export const residenceAddress: readonly TextField[] = [
  textField("beneficiary_state", "State.", "NY"),
  textField("beneficiary_address", "Address line.", "1 Main Street"),
  textField("beneficiary_city", "City.", "New York"),
  textField("beneficiary_postcode", "Post code.", "10001", { maxLength: lengths.postcode }),
];

/** The account number or IBAN. */
export const accountNumber = (example: string): TextField =>
  textField("beneficiary_account_number", "Payout account.", example, {
    maxLength: lengths.accountNumber,
    pattern: alphanumeric,
  });

/** The telephone number. */
export const contact: readonly TextField[] = [
  digitsField(
    "beneficiary_contact_country_code",
    "Country calling code, digits, as a string or a number.",
    "1",
    lengths.phoneCountryCode,
  ),
  digitsField(
    "beneficiary_contact_number",
    "Telephone number, digits, as a string or a number.",
    "2125550123",
    lengths.phoneNumber,
  ),
];

/** The merchant's nickname of the beneficiary. */
export const alias = textField("beneficiary_alias", "Nickname.", "jane", {
  maxLength: lengths.alias,
});

/** The name of the bank. */
export const bankName = textField("beneficiary_bank_name", "Name of the bank.", "First Bank");

/** The five fields that a SWIFT transfer needs; required, unless a form says when. */
export const bankAddress: readonly TextField[] = [
  textField("beneficiary_bank_address", "Address line of the bank.", "2 Bank Street"),
  textField("beneficiary_bank_city", "City of the bank.", "New York"),
  textField("beneficiary_bank_postcode", "Post code of the bank.", "10005", {
    maxLength: lengths.postcode,
  }),
  textField("beneficiary_bank_state", "State of the bank.", "NY"),
  countryField("beneficiary_bank_country_code", "Country of the bank."),
];

/** In the interface's INR sample, not in a table: stored where they are sent. */
export const counterPartyAlias = textField(
  "counter_party_alias",
  "Nickname of the counterparty.",
  "jane-inr",
  { required: false, maxLength: lengths.alias },
);

/** The relationship of the beneficiary and the sender. */
export const relationship = textField(
  "beneficiary_relationship",
  "What the beneficiary is to the sender.",
  "Supplier",
  { required: false },
);
