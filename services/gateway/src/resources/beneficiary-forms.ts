import { wordsOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  BeneficiaryFormSchema,
  FormFieldSchema,
  ListBeneficiaryFormsRequestSchema,
  ListBeneficiaryFormsResponseSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import { BeneficiaryKind } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { choicesOf } from "@disburse/forms/discovery.ts";
import {
  flag,
  from,
  listOf,
  oneOf,
  optional,
  record,
  ref,
  text,
  whole,
} from "../openapi/fields.ts";
import { type Operation, operation, type Resource } from "../openapi/operation.ts";
import { queryOf } from "../openapi/query.ts";
import { parameter, wordParameter } from "../openapi/rules/query.ts";
import { createPaths } from "./beneficiaries.ts";

const formField = record(FormFieldSchema, "BeneficiaryFormField", "A field to ask for.", {
  name: text("Its name in the body.", "beneficiary_name"),
  type: oneOf("What its text is.", ["text", "country", "date", "email", "digits"]),
  required: flag("Whether the body has to have it.", true),
  description: text("What it means.", "Full name."),
  max_length: whole("In characters.", 255),
  allowed_values: optional(
    listOf("The only values that are taken.", text("A value.", "Individual")),
  ),
  pattern: optional(
    text("ECMAScript regular expression (flag `u`) of a sound value.", "^[0-9]{9}$"),
  ),
  pattern_message: optional(text("What is said of a value that does not match.", "must be …")),
  default: from("defaultValue", optional(text("What an absent one stands for.", "USDC_SOL"))),
  example: text("A value that is taken.", "Jane Doe"),
});

/** What to ask for, for one kind of beneficiary, and where to post it. */
const form = record(
  BeneficiaryFormSchema,
  "BeneficiaryForm",
  "What to ask for, for one kind of beneficiary.",
  {
    name: text("Name of the form.", "crypto_beneficiary_individual"),
    description: text("Whom it is for.", "A person who is paid in crypto currency."),
    beneficiary_type: from("body", oneOf("How the beneficiary is paid.", wordsOf(BeneficiaryKind))),
    path: from(
      ({ body }) => (body === "crypto" ? createPaths.crypto : createPaths.fiat),
      oneOf("Where the body is posted.", Object.values(createPaths)),
    ),
    destination_currency: text("The currency that it is for.", "USDC_ETH"),
    transfer_type: text("The transfer type that it is for; empty for crypto.", ""),
    beneficiary_account_type: from(
      "accountType",
      oneOf("The type that it is for.", ["Individual", "Corporate"]),
    ),
    fields: listOf("The fields, in the order to ask for them.", ref(formField)),
    rules: listOf(
      "What has to hold beyond each field.",
      text("In words.", "INR is sent to India."),
    ),
  },
);

const forms = record(
  ListBeneficiaryFormsResponseSchema,
  "BeneficiaryForms",
  "The forms that fit the choice.",
  {
    forms: listOf("None where no beneficiary can be so.", ref(form)),
  },
);

const choice = (name: Parameters<typeof choicesOf>[0]) =>
  wordParameter(Object.fromEntries(choicesOf(name).map((each) => [each, each])));

const operations: readonly Operation[] = [
  operation({
    id: "listBeneficiaryForms",
    method: "GET",
    path: "/api/v1/transfer/beneficiary-forms",
    scope: "beneficiary:read",
    tag: "Beneficiaries",
    summary: "Discover beneficiary forms",
    description:
      "Which fields to ask for, by currency, transfer type and account type: required or not, allowed values, patterns, examples. A body with exactly these fields is taken.",
    query: queryOf(ListBeneficiaryFormsRequestSchema, {
      destination_currency: parameter(
        choice("destinationCurrency"),
        "Forms for this currency alone.",
      ),
      transfer_type: parameter(
        choice("transferType"),
        "Forms for this transfer type alone; crypto beneficiaries have none.",
      ),
      account_type: parameter(choice("accountType"), "Forms for this type of beneficiary alone."),
    }),
    data: forms,
    refusals: ["INVALID_REQUEST"],
    answer: ({ request }, { beneficiary }) => beneficiary.listBeneficiaryForms(request),
  }),
];

/** Which fields a front end asks for. */
export const beneficiaryForms: Resource = {
  components: [formField, form, forms],
  operations,
};
