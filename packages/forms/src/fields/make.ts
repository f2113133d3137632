import {
  metadataKey,
  metadataKeyMax,
  metadataKeysMax,
  metadataValueMax,
} from "@disburse/kernel/metadata.ts";
import type { Field, NormalForm, PairsField, TextField } from "./field.ts";

/** Maximum string lengths, in code points (decisions: wire conventions). */
export const lengths = {
  /** The limit for names, address lines, bank fields and every other text without its own limit. */
  line: 255,
  /** RFC 5321 allows a path of 256 octets, including two angle brackets. */
  email: 254,
  postcode: 12,
  /** The longest IBAN has 34 characters (ISO 13616). */
  accountNumber: 34,
  wallet: 128,
  alias: 100,
  documentId: 64,
  businessId: 64,
  date: 10,
  /** `2026-11-20T11:26:00.123456789+05:30`: Go writes nanoseconds. */
  time: 35,
  country: 2,
  /** ITU-T E.164 allows three digits. One more is allowed for a leading zero. */
  phoneCountryCode: 4,
  phoneNumber: 15,
  /**
   * The limit for ids and currency codes, which are far shorter. Longer values are rejected without
   * a lookup.
   */
  reference: 128,
  /** Common HTTP servers accept request targets of this length. */
  url: 2048,
  /** 15 digits, a point, 18 decimals, and space for an exponent. */
  amount: 64,
} as const;

/** The pattern of an amount in a text: above zero, with at most 15 digits before the point. */
export const amountText = "^(0*[1-9][0-9]{0,14}([.][0-9]+)?|0+[.]0*[1-9][0-9]*)$";

type More = Partial<Omit<TextField, "name" | "description" | "example">>;

/**
 * Creates a field for free text. It is required and has at most 255 characters, unless `more` says
 * otherwise.
 */
export function textField(
  name: string,
  description: string,
  example: string,
  more: More = {},
): TextField {
  const line = { kind: "text", required: true, maxLength: lengths.line } as const;
  return { name, description, example, ...line, ...more };
}

export function choiceField(
  name: string,
  description: string,
  allowed: readonly [string, ...string[]],
): TextField {
  return textField(name, description, allowed[0], { allowed });
}

export function countryField(name: string, description: string): TextField {
  const country = { kind: "country", maxLength: lengths.country } as const;
  return textField(name, description, "US", country);
}

export function dateField(name: string, description: string, example: string): TextField {
  const past = `${description} Not in the future.`;
  return textField(name, past, example, { kind: "date", maxLength: lengths.date });
}

/**
 * The earliest date of birth. No one alive was born earlier, and earlier dates are placeholders for
 * an unknown date.
 */
const bornSince1900 = {
  source: "^(?:19|[2-9][0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}$",
  problem: "must not be before 1900-01-01",
} as const;

export function birthDateField(name: string): TextField {
  const date = dateField(name, "Date of birth, 1900 or later.", "1985-04-12");
  return { ...date, pattern: bornSince1900 };
}

export function emailField(name: string, description: string): TextField {
  const email = { kind: "email", required: false, maxLength: lengths.email } as const;
  return textField(name, description, "jane.doe@example.com", email);
}

/** A pattern of ASCII letters and digits, for account numbers. */
export const alphanumeric = {
  source: "^[A-Za-z0-9]+$",
  problem: "must contain letters and digits only",
} as const;

/**
 * A pattern of letters and digits of any script with single separators. Printed document numbers
 * contain hyphens, slashes, points and spaces (`12-3456789`), and merchants copy them as printed.
 */
const documentNumber = {
  source: "^[\\p{L}\\p{M}\\p{N}]+(?:[-/. ][\\p{L}\\p{M}\\p{N}]+)*$",
  problem: "must contain letters and digits, with single separators between them",
} as const;

/**
 * The accepted notation of IBANs, which are printed in groups of four, sometimes in lower case or
 * after `IBAN`.
 */
export const ibanForm = (pattern: string): NormalForm => ({
  of: "iban",
  sent: {
    maxLength: "IBAN: ".length + lengths.accountNumber + 8,
    pattern: `^(?:[Ii][Bb][Aa][Nn]:? ?)?${pattern}$`,
  },
});

/** Stores `+1 (212) 555-0123` as its digits. */
const telephoneForm: NormalForm = {
  of: "telephone",
  sent: { maxLength: 32, pattern: "^[(]?[+]? ?[(]?[0-9][0-9 ()-]*$" },
};

export function telephoneField(
  name: string,
  description: string,
  example: string,
  maxLength: number,
): TextField {
  const printed = `${description} Digits, as a string or a number; \`+\`, blanks, brackets and hyphens of a string are dropped.`;
  return textField(name, printed, example, { kind: "digits", maxLength, normal: telephoneForm });
}

export function documentField(name: string, description: string, example: string): TextField {
  const number = { maxLength: lengths.documentId, pattern: documentNumber };
  return textField(name, description, example, number);
}

export const metadataField: PairsField = {
  name: "metadata",
  kind: "pairs",
  required: false,
  keys: metadataKey,
  maxItems: metadataKeysMax,
  valueMax: metadataValueMax,
  problem: `must be an object of at most ${metadataKeysMax} strings: keys of 1 to ${metadataKeyMax} letters, digits and _.:-, values of at most ${metadataValueMax} characters`,
  description: `Your own data with at most ${metadataKeysMax} keys, returned as stored. Keys have 1 to ${metadataKeyMax} letters, digits and \`_.:-\`, values at most ${metadataValueMax} characters. Put no secrets or personal data here.`,
  example: { order: "1001", cost_centre: "EU-7" },
};

export const referenceField: TextField = textField(
  "reference_id",
  "Your own reference, returned as stored. It need not be unique.",
  "supplier-17",
  { required: false },
);

export const aliasField: TextField = textField("beneficiary_alias", "Nickname.", "jane", {
  required: false,
  maxLength: lengths.alias,
});

/** The merchant's own fields of a beneficiary. A payee who fills in a form is not asked for them. */
export const ownFields: ReadonlySet<Field> = new Set([referenceField, aliasField]);
