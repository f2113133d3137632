import {
  type Refused,
  refused,
  type Violation,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";

/** Reads one parameter's text; `undefined` where it is malformed. */
export type Parameter<Value> = {
  readonly read: (text: string) => Value | undefined;
  /** For the merchant: `must be …`. */
  readonly problem: string;
};

type Shape = Readonly<Record<string, Parameter<unknown>>>;
type Values<S extends Shape> = {
  readonly [Name in keyof S]?: S[Name] extends Parameter<infer Value> ? Value : never;
};

/** Ids, codes and cursors of ours are shorter; a merchant's reference may have 255 characters. */
const textMax = 255;
const pageMax = 100;

/** A whole number of records, 1 to 100. */
export const limitParameter: Parameter<number> = {
  read: (text) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return limit >= 1 && limit <= pageMax ? limit : undefined;
  },
  problem: `must be a whole number from 1 to ${pageMax}`,
};

/** Opaque text of ours: an id, a code, a cursor. */
export const tokenParameter: Parameter<string> = {
  read: (text) => (/^[\x21-\x7e]+$/.test(text) && text.length <= textMax ? text : undefined),
  problem: `must be 1 to ${textMax} printable characters`,
};

/** The merchant's own text. */
export const textParameter: Parameter<string> = {
  read: (text) => (text !== "" && Array.from(text).length <= textMax ? text : undefined),
  problem: `must be 1 to ${textMax} characters`,
};

/** One of a closed set of words, each with what it stands for. */
export function wordParameter<Value>(words: Readonly<Record<string, Value>>): Parameter<Value> {
  return {
    read: (text) => (Object.hasOwn(words, text) ? words[text] : undefined),
    problem: `must be one of ${Object.keys(words).join(", ")}`,
  };
}

const day = String.raw`(\d{4}-\d{2}-\d{2})`;
const time = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?`;
const offset = String.raw`(Z|[+-](0\d|1[0-4]):[0-5]\d)`;
const isoDateTime = new RegExp(`^${day}(T${time}${offset})?$`);

/** A moment as ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. */
export const momentParameter: Parameter<Date> = {
  read: (text) => {
    const date = isoDateTime.exec(text)?.[1];
    return date !== undefined && isCalendarDate(date) ? new Date(text) : undefined;
  },
  problem: "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z",
};

/**
 * The parameters of a list. Those that the list does not know are ignored; one that is malformed or
 * stands twice is refused by its name, all of them at once.
 */
export function readQuery<S extends Shape>(
  query: URLSearchParams,
  shape: S,
): Values<S> | Refused<"INVALID_REQUEST"> {
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
  return values as Values<S>;
}
