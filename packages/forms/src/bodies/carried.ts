import {
  addressLinesMax,
  type CarriedPart,
  iso20022Max,
  isPlaceholder,
  type PaymentMethod,
  paymentLimits,
} from "@disburse/kernel/payment-methods/limits.ts";
import {
  givenText,
  hasPostcodes,
  hybridAddress,
  needsState,
  payeeCountry,
} from "@disburse/kernel/payment-methods/postal-address.ts";
import {
  isReadable,
  isRomanisable,
  swiftText,
} from "@disburse/kernel/payment-methods/romanisation.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { uncarried } from "../checks/text.ts";
import {
  type BodyValues,
  type Condition,
  conditionHolds,
  type PublicBody,
  type Rule,
  type TextField,
  textOf,
  variantOf,
} from "../fields/field.ts";

/** The limits of payment methods on fields of fiat beneficiaries (`kernel/payment-methods`). */

/** Payment methods by transfer type. */
export type FormMethods = Readonly<Record<string, PaymentMethod>>;

/**
 * Adds variants to a field. Each one applies the limit of a payment method that carries the field.
 */
export function carriedField(field: TextField, part: CarriedPart, methods: FormMethods): TextField {
  const mayBeNone = part === "state" || part === "postcode";
  const variants = Object.entries(methods).flatMap(([over, method]) => {
    const limit = paymentLimits[method][part];
    const when: Condition = { field: "transfer_type", in: [over] };
    return limit === undefined ? [] : [{ when, carried: { limit, over, mayBeNone } }];
  });
  return variants.length === 0 ? field : { ...field, variants };
}

/**
 * The rule for states. If a country's addresses have no state, `-` or `N/A` is accepted instead.
 */
export const stateGiven: Rule = {
  description:
    "`-` or `N/A` is accepted as state, except in countries whose postal address needs one.",
  reads: ["beneficiary_state", "beneficiary_country_code", "destination_country"],
  reports: "beneficiary_state",
  check: (text) => {
    const country = payeeCountry(text);
    if (!isPlaceholder(text("beneficiary_state")) || !needsState(country)) return undefined;
    return `is required in a postal address of ${country}`;
  },
};

/** The rule for postcodes. If a country has no postcodes, `-` or `N/A` is accepted instead. */
export function postcodeGiven(countries: readonly string[]): Rule {
  return {
    description: "In countries without postcodes, `-` or `N/A` is accepted as the postcode.",
    reads: ["beneficiary_postcode", ...countries],
    reports: "beneficiary_postcode",
    check: (text) => {
      const country = payeeCountry(text);
      if (!isPlaceholder(text("beneficiary_postcode")) || !hasPostcodes(country)) return undefined;
      return `is required in a postal address of ${country}`;
    },
  };
}

const linesMax = addressLinesMax * iso20022Max.addressLine;

/**
 * The rule for hybrid addresses. If the street or the state is too long for its own element, both
 * share two address lines.
 */
export function addressFits(methods: readonly string[]): Rule {
  return {
    description:
      "A street of more than 70 characters and a state of more than 35 share two lines of 70.",
    when: { field: "transfer_type", in: methods },
    reads: ["beneficiary_address", "beneficiary_state"],
    reports: "beneficiary_address",
    ofMethod: true,
    check: (text) => {
      const street = swiftText(text("beneficiary_address"));
      const state = swiftText(givenText(text("beneficiary_state")));
      if (hybridAddress({ street, state }) !== undefined) return undefined;
      const max = Math.max(iso20022Max.street, linesMax - ", ".length - state.length);
      return `must be at most ${max} characters beside so long a state over ${text("transfer_type")}`;
    },
  };
}

/** Returns true if banks need the name in Latin letters too. They need none for a missing name. */
export function needsLatinName(name: string): boolean {
  return name.trim() !== "" && !(isRomanisable(name) && isReadable(name));
}

/** The rule for names, because fiat methods carry only Latin letters. */
export const latinName: Rule = {
  description:
    "A name that is not in Latin, Greek or Cyrillic letters needs `beneficiary_name_latin`, which the bank gets.",
  reads: ["beneficiary_first_name", "beneficiary_last_name", "beneficiary_name", "transfer_type"],
  reports: "beneficiary_name_latin",
  ofMethod: true,
  check: (text) => {
    const names = ["beneficiary_first_name", "beneficiary_last_name", "beneficiary_name"];
    const name = names.map(text).join(" ");
    if (text("beneficiary_name_latin") !== "") return undefined;
    if (!needsLatinName(name)) return undefined;
    return `is required over ${text("transfer_type")}, as the name is in another script`;
  },
};

/**
 * Returns the fields of a stored body that its payment method can't carry. A masked account number
 * has its original length, so its length is still checked.
 */
export function carriedProblems(body: PublicBody, values: BodyValues): Violation[] {
  const holds = (condition: Condition): boolean => conditionHolds(condition, values);
  const form = body.forms.find((each) => each.selectedBy.every(holds));
  if (form === undefined) return [];
  const problems = new Map<string, string>();
  for (const field of form.fields) {
    if (!("maxLength" in field) || (field.when !== undefined && !holds(field.when))) continue;
    const text = textOf(values, field.name);
    const problem = text === "" ? undefined : uncarried(variantOf(field, holds), text);
    if (problem !== undefined) problems.set(field.name, problem);
  }
  for (const { ofMethod, when, reads, reports, check } of form.rules ?? []) {
    if (ofMethod === undefined || (when !== undefined && !holds(when))) continue;
    if ([...reads, reports].some((name) => problems.has(name))) continue;
    const problem = check((name) => textOf(values, name));
    if (problem !== undefined) problems.set(reports, problem);
  }
  return [...problems].map(([field, problem]) => ({ field, problem }));
}
