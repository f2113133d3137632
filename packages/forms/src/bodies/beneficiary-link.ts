import { type PublicBody, type Rule, singleForm, type TextField } from "../fields/field.ts";
import { lengths, metadataField, textField } from "../fields/make.ts";
import { latinNameField, latinNameIsLatin } from "./fiat-parts.ts";
import { companyName, personName, personNames } from "./names.ts";

/**
 * The number of days until a link expires. Most links are opened within days, so the default
 * suffices, and a forgotten link expires within a month.
 */
export const linkDays = { default: 7, max: 30 } as const;

/** The maximum length of the name, so that it fits on one line of a phone screen. */
const displayNameMax = 60;

const chosen = (name: string, description: string, example: string): TextField =>
  textField(name, `${description} Without it the beneficiary chooses.`, example, {
    required: false,
    maxLength: lengths.reference,
  });

const isLocked =
  "The beneficiary sees it and cannot change it. No web or email address or phone number.";

const locked = (name: string, whose: string, example: string): TextField =>
  textField(name, `${whose} ${isLocked}`, example, { required: false });

/** Rules for a name that is given in the link. The beneficiary can't correct such a name. */
const lockedNames: readonly Rule[] = [
  personName("beneficiary_name", { field: "beneficiary_account_type", in: ["Individual"] }),
  companyName("beneficiary_name", { field: "beneficiary_account_type", notIn: ["Individual"] }),
  ...personNames("beneficiary_first_name", "beneficiary_last_name", { isPartial: true }),
  latinNameIsLatin,
];

export const createBeneficiaryLink: PublicBody = singleForm({
  name: "create_beneficiary_link",
  description:
    "The beneficiary's details: those that the page requests, and those that you set in advance.",
  fields: [
    textField("destination_currency", "Currency that the beneficiary is paid.", "USD", {
      maxLength: lengths.reference,
    }),
    chosen(
      "transfer_type",
      "Payment method of a bank account: `ACH`, `SWIFT`, `LOCAL` or `SEPA`.",
      "ACH",
    ),
    {
      ...chosen("network", "Network of a wallet, such as `ETHEREUM`: no bank account.", "ETHEREUM"),
      when: { field: "transfer_type", absent: true },
    },
    chosen("beneficiary_account_type", "`Individual` or `Corporate`.", "Individual"),
    {
      ...locked(
        "beneficiary_name",
        "Name of a company, or of a wallet's owner. Not allowed beside a last name.",
        "Jane Doe",
      ),
      when: { field: "beneficiary_last_name", absent: true },
    },
    locked("beneficiary_first_name", "First name of a person with a bank account.", "Jane"),
    locked("beneficiary_last_name", "Last name of a person with a bank account.", "Doe"),
    {
      ...latinNameField,
      description: `The whole name in Latin letters, as the bank gets it. Required with a bank account if the name is in a script other than Latin, Greek and Cyrillic. ${isLocked}`,
      variants: [],
    },
    textField("reference_id", "Your own reference. It is not shown.", "supplier-17", {
      required: false,
    }),
    metadataField,
    textField(
      "display_name",
      "Name of the party on whose behalf you ask, shown beside your registered name. No web or email address, phone number or look-alike characters.",
      "Corner Shop",
      {
        required: false,
        maxLength: displayNameMax,
      },
    ),
    textField("color", "Your colour, for the page.", "#0a5c36", {
      required: false,
      maxLength: 7,
      pattern: { source: "^#[0-9a-fA-F]{6}$", problem: "must be a colour such as #0a5c36" },
    }),
    {
      name: "expires_in_days",
      kind: "integer",
      required: false,
      min: 1,
      max: linkDays.max,
      description: `Number of days until the link expires; ${linkDays.default} by default.`,
      example: 7,
    },
  ],
  rules: lockedNames,
});
