import {
  ExactNumber,
  exactValue,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";

/** What a merchant chooses of an event that it makes up; "" for what the example has. */
export type Chosen = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly data: Readonly<Record<string, string>>;
};

/** The `data` of an event that a merchant makes up, and what of it is signed. */
export type MadeUp = {
  readonly transactionId: string;
  readonly status: string;
  readonly dataJson: string;
};

const numberText = /^-?\d+(\.\d+)?$/;

/**
 * An example's `data` with what was chosen in the place of its own; `undefined` where the example
 * is no object. What is a number in the example is one where a number was chosen.
 */
export function madeUpData(example: string, chosen: Chosen): MadeUp | undefined {
  const base = parseExactJson(example);
  if (!isJsonObject(base)) return undefined;
  const fields: JsonObject = { ...base };
  for (const [name, text] of Object.entries(chosen.data)) {
    const isNumber = base[name] instanceof ExactNumber && numberText.test(text);
    fields[name] = isNumber ? new ExactNumber(text) : text;
  }
  const transactionId = chosen.transactionId || textOf(fields.id);
  const status = chosen.status || textOf(fields.status);
  const own = { id: transactionId, status, merchant_id: chosen.merchantId };
  const dataJson = JSON.stringify(exactValue({ ...fields, ...own }));
  return { transactionId, status, dataJson };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
