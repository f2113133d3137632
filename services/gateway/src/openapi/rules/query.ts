import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";

/** Reads one parameter's text; `undefined` where it is malformed. */
type Reading<Value> = {
  readonly read: (text: string) => Value | undefined;
  /** For the merchant: `must be …`. */
  readonly problem: string;
  /** Of a well-formed text, for the reference. */
  readonly schema: { readonly [keyword: string]: unknown };
};

/** A reading as the parameter of an operation. */
export type Parameter<Value, Field = string | undefined> = Reading<Value> & {
  /** Empty for another name of a documented parameter. */
  readonly description: string;
  /** Its field in the RPC's request, where that is not its own name in camel case. */
  readonly field?: Field;
};

/** The parameters that an operation takes in its query, all of them optional. */
export type QueryShape = Readonly<Record<string, Parameter<unknown>>>;
/** What was read of a query: parameters that were left out are absent. */
export type QueryValues<Query> = {
  readonly [Name in keyof Query]?: Query[Name] extends Reading<infer Value> ? Value : never;
};

/** Ids, codes and cursors of ours are shorter; a merchant's reference may have 255 characters. */
const textMax = 255;
const pageMax = 100;
/** The default of the owning services. */
const pageDefault = 20;

/** A parameter; `field` is its field in the RPC's request, where that has another name. */
export function parameter<Value, const Field extends string | undefined = undefined>(
  reading: Reading<Value>,
  description: string,
  field?: Field,
): Parameter<Value, Field> {
  return { ...reading, description, ...(field === undefined ? {} : { field }) };
}

/** A whole number of records, 1 to 100. */
export const limitParameter: Reading<number> = {
  schema: { type: "integer", minimum: 1, maximum: pageMax, default: pageDefault },
  read: (text) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= pageMax ? limit : undefined;
  },
  problem: `must be a whole number from 1 to ${pageMax}`,
};

/** Opaque text of ours: an id, a code, a cursor. */
export const tokenParameter: Reading<string> = {
  schema: { type: "string", minLength: 1, maxLength: textMax, pattern: "^[!-~]+$" },
  read: (text) => (/^[\x21-\x7e]+$/.test(text) && text.length <= textMax ? text : undefined),
  problem: `must be 1 to ${textMax} printable characters`,
};

/** The merchant's own text. */
export const textParameter: Reading<string> = {
  schema: { type: "string", minLength: 1, maxLength: textMax },
  read: (text) => (text !== "" && Array.from(text).length <= textMax ? text : undefined),
  problem: `must be 1 to ${textMax} characters`,
};

/** One of a closed set of words, each with what it stands for. */
export function wordParameter<Value>(words: Readonly<Record<string, Value>>): Reading<Value> {
  return {
    schema: { type: "string", enum: Object.keys(words) },
    read: (text) => (Object.hasOwn(words, text) ? words[text] : undefined),
    problem: `must be one of ${Object.keys(words).join(", ")}`,
  };
}

/** A moment as ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. */
export const momentParameter: Reading<Date> = {
  schema: { type: "string", examples: ["2026-11-20T11:26:00.123Z"] },
  read: parseMoment,
  problem: "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z",
};

/**
 * The parameters of a query. Unknown ones are ignored; one that is malformed or repeated is refused
 * by its name, all of them at once.
 */
export function readQuery<Query extends Readonly<Record<string, Reading<unknown>>>>(
  query: URLSearchParams,
  shape: Query,
): QueryValues<Query> | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, parameter] of Object.entries(shape)) {
    const [text, ...repeated] = query.getAll(field);
    if (text === undefined) continue;
    values[field] = parameter.read(text);
    if (repeated.length > 0) violations.push({ field, problem: "must not be repeated" });
    else if (values[field] === undefined) violations.push({ field, problem: parameter.problem });
  }
  if (violations.length > 0) return refused("INVALID_REQUEST", violationsMessage(violations));
  return values as QueryValues<Query>;
}
