import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { decimalText, readFields, wholeNumber, word } from "./file.ts";

const amount = { currency: word, minimum: decimalText, window_seconds: wholeNumber.optional() };

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

/** The controls of a file, as `SetPayoutControls` takes them. */
export function readControls(text: string): JsonObject {
  const read = readFields(text, z.strictObject(controls), names);
  return {
    duplicate_window_seconds: read.duplicate_window_seconds ?? 0,
    approval: rulesOf(read.approval),
  };
}

/** All rules, for those that a file does not name are off. */
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
