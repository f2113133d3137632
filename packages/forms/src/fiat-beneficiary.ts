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
import { inrBeneficiary } from "./fiat-inr.ts";
import { usdBeneficiary, usdCurrencies } from "./fiat-usd.ts";
import { optional, type PublicBody } from "./field.ts";
import { choiceField, textField } from "./make-field.ts";

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
