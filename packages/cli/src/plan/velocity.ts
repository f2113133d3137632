import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { decimalText, readFields, wholeNumber, word } from "./file.ts";

const amount = {
  currency: word,
  hour: decimalText.optional(),
  day: decimalText.optional(),
};

const limits = {
  count_hour: wholeNumber.optional(),
  count_day: wholeNumber.optional(),
  amounts: z.array(z.strictObject(amount), { error: "must be a list" }).optional(),
};

const limitsSchema = z.strictObject(limits, { error: "must have fields" }).optional();
const file = { merchant: limitsSchema, beneficiary: limitsSchema };
const names = [file, limits, amount].flatMap(Object.keys);

type Limits = z.output<typeof limitsSchema>;

/** The limits of a file, as `SetVelocityLimits` takes them. */
export function readVelocity(text: string): JsonObject {
  const { merchant, beneficiary } = readFields(text, z.strictObject(file), names);
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
