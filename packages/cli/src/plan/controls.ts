import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { decimalText, readFields, shortText, wholeNumber } from "./file.ts";

const amountLimits = {
  currency: shortText,
  hour: decimalText.optional(),
  day: decimalText.optional(),
};

const limits = {
  count_hour: wholeNumber.optional(),
  count_day: wholeNumber.optional(),
  amounts: z.array(z.strictObject(amountLimits), { error: "must be a list" }).optional(),
};

const limitsSchema = z.strictObject(limits, { error: "must have fields" }).optional();
const file = { merchant: limitsSchema, beneficiary: limitsSchema };
const limitNames = [file, limits, amountLimits].flatMap(Object.keys);

type Limits = z.output<typeof limitsSchema>;

const amount = {
  currency: shortText,
  minimum: decimalText,
  window_seconds: wholeNumber.optional(),
};

const approval = {
  amounts: z.array(z.strictObject(amount), { error: "must be a list" }).optional(),
  new_beneficiary_days: wholeNumber.optional(),
  lasts_seconds: wholeNumber.optional(),
  batches: z.boolean({ error: "must be true or false" }).optional(),
};

const controls = {
  duplicate_window_seconds: wholeNumber.optional(),
  approval: z.strictObject(approval, { error: "must have fields" }).optional(),
};
const names = [controls, approval, amount].flatMap(Object.keys);

type Rules = NonNullable<z.output<typeof controls.approval>>;

/** Reads a file of controls into fields of `SetPayoutControls`. */
function readControls(text: string): JsonObject {
  const read = readFields(text, z.strictObject(controls), names);
  return {
    duplicate_window_seconds: read.duplicate_window_seconds ?? 0,
    approval: rulesOf(read.approval),
  };
}

/** Returns every rule. A rule that the file omits is turned off. */
function rulesOf({ amounts = [], ...rules }: Rules = {}): JsonObject {
  const { new_beneficiary_days = 0, lasts_seconds, batches = false } = rules;
  return {
    amounts: amounts.map(({ currency, minimum, window_seconds = 0 }) => {
      return { currency_code: currency, minimum, window_seconds };
    }),
    new_beneficiary_days,
    batches,
    ...(lasts_seconds !== undefined && { lasts_seconds }),
  };
}

/** Reads a file of limits into fields of `SetVelocityLimits`. */
function readLimits(text: string): JsonObject {
  const { merchant, beneficiary } = readFields(text, z.strictObject(file), limitNames);
  return { merchant: limitsOf(merchant), beneficiary: limitsOf(beneficiary) };
}

function limitsOf({ amounts = [], ...counts }: NonNullable<Limits> = {}): JsonObject {
  return {
    ...definedOf(counts),
    amounts: amounts.map(({ currency, ...bounds }) => {
      return { currency_code: currency, ...definedOf(bounds) };
    }),
  };
}

function definedOf(fields: Readonly<Record<string, string | number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The files that commands take: an example for the help, and the reader. */
export const formats = {
  limits: {
    example: `  merchant:
    count_hour: 100
    amounts:
      - { currency: USD, day: "100000.00" }
  beneficiary:
    count_day: 5`,
    read: readLimits,
  },
  controls: {
    example: `  duplicate_window_seconds: 86400
  approval:
    amounts:
      - { currency: USD, minimum: "10000.00", window_seconds: 3600 }
    new_beneficiary_days: 7
    lasts_seconds: 86400
    batches: true`,
    read: readControls,
  },
} as const;
