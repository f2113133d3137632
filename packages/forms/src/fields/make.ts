import {
  metadataKey,
  metadataKeyMax,
  metadataKeysMax,
  metadataValueMax,
} from "@disburse/kernel/metadata.ts";
import type { NormalForm, PairsField, TextField } from "./field.ts";

/** Longest values of strings, in code points (decisions: wire conventions). */
export const lengths = {
  /** Names, address lines, bank fields, and every other text that has no bound of its own. */
  line: 255,
  /** RFC 5321: a path of 256 octets less its angle brackets. */
  email: 254,
  postcode: 12,
  /** The longest IBAN (ISO 13616). */
  accountNumber: 34,
  wallet: 128,
  alias: 100,
  documentId: 64,
  /** The merchant's own id of its business (decisions: corrections). */
  businessId: 64,
  /** `yyyy-mm-dd` */
  date: 10,
  /** `2026-11-20T11:26:00.123+05:30` */
  time: 29,
  /** ISO 3166-1 alpha-2. */
  country: 2,
  /** ITU-T E.164 has at most 3; one more for a leading zero. */
  phoneCountryCode: 4,
  /** ITU-T E.164. */
  phoneNumber: 15,
  /** Ids and currency codes are far shorter; past this nothing is looked up. */
  reference: 128,
  /** As much as common HTTP servers take for a request line's target. */
  url: 2048,
  /** 15 digits, a point, 18 decimals, and room for an exponent. */
  amount: 64,
} as const;

/** Parts of a text field beside its name, description and example. */
type More = Partial<Omit<TextField, "name" | "description" | "example">>;

/** A required line of free text, unless `more` says otherwise. */
export function textField(
  name: string,
  description: string,
  example: string,
  more: More = {},
): TextField {
  const line = { kind: "text", required: true, maxLength: lengths.line } as const;
  return { name, description, example, ...line, ...more };
}

/** A required text out of a closed set. */
export function choiceField(
  name: string,
  description: string,
  allowed: readonly [string, ...string[]],
): TextField {
  return textField(name, description, allowed[0], { allowed });
}

/** A required ISO 3166-1 alpha-2 code. */
export function countryField(name: string, description: string): TextField {
  const country = { kind: "country", maxLength: lengths.country } as const;
  return textField(name, description, "US", country);
}

/** A required calendar day that is not in the future. */
export function dateField(name: string, description: string, example: string): TextField {
  const past = `${description} Not in the future.`;
  return textField(name, past, example, { kind: "date", maxLength: lengths.date });
}

/** The oldest people alive were born later; an earlier date stands for one that is not known. */
const bornSince1900 = {
  source: "^(?:19|[2-9][0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}$",
  problem: "must not be before 1900-01-01",
} as const;

/** A required date of birth. */
export function birthDateField(name: string): TextField {
  const date = dateField(name, "Date of birth, 1900 or later.", "1985-04-12");
  return { ...date, pattern: bornSince1900 };
}

/** An optional e-mail address. */
export function emailField(name: string, description: string): TextField {
  const email = { kind: "email", required: false, maxLength: lengths.email } as const;
  return textField(name, description, "jane.doe@example.com", email);
}

/** Letters and digits of ASCII: account numbers. */
export const alphanumeric = {
  source: "^[A-Za-z0-9]+$",
  problem: "must contain letters and digits only",
} as const;

/**
 * Letters and digits of any script, single separators between them: numbers of documents are
 * printed with hyphens, slashes, points and spaces (`12-3456789`), and merchants copy them as
 * printed.
 */
const documentNumber = {
  source: "^[\\p{L}\\p{M}\\p{N}]+(?:[-/. ][\\p{L}\\p{M}\\p{N}]+)*$",
  problem: "must contain letters and digits, with single separators between them",
} as const;

/** Printed in groups of four, in lower case by some programs, and with `IBAN` in front. */
export const ibanForm = (pattern: string): NormalForm => ({
  of: "iban",
  sent: {
    maxLength: "IBAN: ".length + lengths.accountNumber + 8,
    pattern: `^(?:[Ii][Bb][Aa][Nn]:? ?)?${pattern}$`,
  },
});

/** `+1 (212) 555-0123` is stored as its digits. */
const telephoneForm: NormalForm = {
  of: "telephone",
  sent: { maxLength: 32, pattern: "^[(]?[+]? ?[(]?[0-9][0-9 ()-]*$" },
};

/** A required part of a telephone number: digits, given as text or a number. */
export function telephoneField(
  name: string,
  description: string,
  example: string,
  maxLength: number,
): TextField {
  const printed = `${description} Digits, as a string or a number; \`+\`, blanks, brackets and hyphens of a string are dropped.`;
  return textField(name, printed, example, { kind: "digits", maxLength, normal: telephoneForm });
}

/** A required number of a document. */
export function documentField(name: string, description: string, example: string): TextField {
  const number = { maxLength: lengths.documentId, pattern: documentNumber };
  return textField(name, description, example, number);
}

/** What a merchant attaches to a record of its own making. */
export const metadataField: PairsField = {
  name: "metadata",
  kind: "pairs",
  required: false,
  keys: metadataKey,
  maxItems: metadataKeysMax,
  valueMax: metadataValueMax,
  problem: `must be an object of at most ${metadataKeysMax} strings: keys of 1 to ${metadataKeyMax} letters, digits and _.:-, values of at most ${metadataValueMax} characters`,
  description: `Your own data, at most ${metadataKeysMax} keys; answered as it is stored. Keys have 1 to ${metadataKeyMax} letters, digits and \`_.:-\`, values at most ${metadataValueMax} characters. Put no secrets or personal data here.`,
  example: { order: "1001", cost_centre: "EU-7" },
};
