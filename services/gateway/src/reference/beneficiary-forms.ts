import { choicesOf } from "@disburse/forms/discovery.ts";
import { parameter, wordParameter } from "../domain/list-query.ts";
import { beneficiaryKinds, wordsOf } from "../routes/words.ts";
import { createCryptoEndpoint, createFiatEndpoint } from "./beneficiaries.ts";
import type { Endpoint } from "./endpoint.ts";
import { component, flag, listOf, ref, text, whole, word } from "./schema.ts";

/** What the discovery of forms takes in its query. */
export const listFormsQuery = {
  destination_currency: parameter(
    wordParameter(itself(choicesOf("destinationCurrency"))),
    "Forms for this currency alone.",
  ),
  transfer_type: parameter(
    wordParameter(itself(choicesOf("transferType"))),
    "Forms for this transfer type alone; crypto beneficiaries have none.",
  ),
  account_type: parameter(
    wordParameter(itself(choicesOf("accountType"))),
    "Forms for this type of beneficiary alone.",
  ),
} as const;

/** Words that stand for themselves. */
function itself(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((each) => [each, each]));
}

const formField = component(
  "BeneficiaryFormField",
  "A field to ask for.",
  {
    name: text("Its name in the body.", "beneficiary_name"),
    type: word("What its text is.", ["text", "country", "date", "email", "digits"]),
    required: flag("Whether the body has to have it.", true),
    description: text("What it means.", "Full name."),
    max_length: whole("In characters.", 255),
    allowed_values: listOf("The only values that are taken.", text("A value.", "Individual")),
    pattern: text("ECMAScript regular expression (flag `u`) of a sound value.", "^[0-9]{9}$"),
    pattern_message: text("What is said of a value that does not match.", "must be …"),
    default: text("What an absent one stands for.", "USDC_SOL"),
    example: text("A value that is taken.", "Jane Doe"),
  },
  ["allowed_values", "pattern", "pattern_message", "default"],
);

const form = component("BeneficiaryForm", "What to ask for, for one kind of beneficiary.", {
  name: text("Name of the form.", "crypto_beneficiary_individual"),
  description: text("Whom it is for.", "A person who is paid in crypto currency."),
  beneficiary_type: word("How the beneficiary is paid.", wordsOf(beneficiaryKinds)),
  path: word("Where the body is posted.", [createCryptoEndpoint.path, createFiatEndpoint.path]),
  destination_currency: text("The currency that it is for.", "USDC_ETH"),
  transfer_type: text("The transfer type that it is for; empty for crypto.", ""),
  beneficiary_account_type: word("The type that it is for.", ["Individual", "Corporate"]),
  fields: listOf("The fields, in the order to ask for them.", ref(formField)),
  rules: listOf("What has to hold beyond each field.", text("In words.", "INR is sent to India.")),
});

const forms = component("BeneficiaryForms", "The forms that fit the choice.", {
  forms: listOf("None where no beneficiary can be so.", ref(form)),
});

export const listFormsEndpoint: Endpoint = {
  id: "listBeneficiaryForms",
  method: "GET",
  path: "/api/v1/transfer/beneficiary-forms",
  scope: "beneficiary:read",
  tag: "Beneficiaries",
  summary: "Discover beneficiary forms",
  description:
    "Which fields to ask for, by currency, transfer type and account type: required or not, allowed values, patterns, examples. A body with exactly these fields is taken.",
  query: listFormsQuery,
  data: forms,
  refusals: ["INVALID_REQUEST"],
};

/** Every component of this file, for the document. */
export const beneficiaryFormComponents = [formField, form, forms];
