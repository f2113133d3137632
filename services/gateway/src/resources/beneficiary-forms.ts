import { enumNames } from "@disburse/chassis/enum-names.ts";
import {
  BeneficiaryFormSchema,
  FormFieldSchema,
  ListBeneficiaryFormsRequestSchema,
  ListBeneficiaryFormsResponseSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import { BeneficiaryKind } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { choicesOf } from "@disburse/forms/describe/discovery.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get, type Resource } from "../openapi/route.ts";
import { createPaths } from "./beneficiaries.ts";

const formField = f.record(FormFieldSchema, "BeneficiaryFormField", "A field of the form.", {
  name: f.text("Its name in the body.", "beneficiary_name"),
  type: f.oneOf("Type of its text.", ["text", "country", "date", "email", "digits"]),
  required: f.flag("True if the field is required.", true),
  required_unless: f.optional(
    f.text(
      "A flag of the body (a JSON boolean) that makes the field optional if it is sent as `true`.",
      "beneficiary_single_name",
    ),
  ),
  description: f.text("Meaning of the field.", "Full name."),
  max_length: f.whole("Maximum length in characters.", 255),
  allowed_values: f.optional(
    f.listOf("The only values that are accepted.", f.text("A value.", "Individual")),
  ),
  pattern: f.optional(
    f.text("ECMAScript regular expression (flag `u`) that a valid value matches.", "^[0-9]{9}$"),
  ),
  pattern_message: f.optional(f.text("Message for a value that does not match.", "must be …")),
  default: f.from("defaultValue", f.optional(f.text("Value if it is omitted.", "USDC_SOL"))),
  example: f.text("A valid value.", "Jane Doe"),
});

/**
 * The fields to request for one kind of beneficiary, and the path that the merchant posts them to.
 */
const form = f.record(BeneficiaryFormSchema, "BeneficiaryForm", "One kind of beneficiary.", {
  name: f.text("Name of the form.", "crypto_beneficiary_individual"),
  description: f.text("Kind of beneficiary.", "A person who is paid in crypto currency."),
  beneficiary_type: f.from("body", f.oneOf("Type of the beneficiary.", enumNames(BeneficiaryKind))),
  path: f.from(
    ({ body }) => (body === "crypto" ? createPaths.crypto : createPaths.fiat),
    f.oneOf("Path that you post the body to.", Object.values(createPaths)),
  ),
  destination_currency: f.text("The currency that it is for.", "USDC_ETH"),
  transfer_type: f.text("The transfer type that it is for; empty for crypto.", ""),
  beneficiary_account_type: f.from(
    "accountType",
    f.oneOf("The type that it is for.", ["Individual", "Corporate"]),
  ),
  fields: f.listOf("The fields, in the order in which to show them.", f.ref(formField)),
  rules: f.listOf("Rules across fields.", f.text("A rule in words.", "INR is sent to India.")),
});

const forms = f.record(ListBeneficiaryFormsResponseSchema, "BeneficiaryForms", "Matching forms.", {
  forms: f.listOf("Empty if no kind of beneficiary matches.", f.ref(form)),
});

const query = q.queryOf(ListBeneficiaryFormsRequestSchema, {
  destination_currency: q.choice(choicesOf("destinationCurrency"), "Only forms for this currency."),
  transfer_type: q.choice(
    choicesOf("transferType"),
    "Only forms for this transfer type; crypto beneficiaries have none.",
  ),
  account_type: q.choice(choicesOf("accountType"), "Only forms for this type of beneficiary."),
});

export const beneficiaryForms: Resource = {
  scope: "beneficiary",
  tag: "Beneficiaries",
  components: [formField, form, forms],
  routes: [
    get("listBeneficiaryForms", "/api/v1/transfer/beneficiary-forms", {
      summary: "Discover beneficiary forms",
      description:
        "The fields of each form by currency, transfer type and account type: whether they are required, allowed values, patterns, examples. A body with exactly these fields is accepted.",
      query,
      data: forms,
      answer: ({ request }, { beneficiary }) => beneficiary.listBeneficiaryForms(request),
    }),
  ],
};
