import type { DescMessage } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumNames, enumValue } from "@disburse/chassis/enum-names.ts";
import { printable, withoutExclusions } from "@disburse/forms/describe/json-schema.ts";
import { type IdNoun, otherKindProblem } from "@disburse/kernel/id.ts";
import { nearest } from "@disburse/kernel/nearest.ts";
import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import { isCalendarDate, parseBound, parseMoment } from "@disburse/kernel/time.ts";
import { shownName, unknownField } from "@disburse/kernel/violations.ts";
import { type CamelCase, cursorShape, type NoSuchField, type Shape } from "./fields.ts";

/** A query parameter. The parsed value sets a field of the RPC's request. */
export type Parameter<Value, Field = string | undefined> = {
  /** An empty text hides the parameter from the reference, for example an alias. */
  readonly description: string;
  /** The field of the RPC's request. The default is the parameter's name in camel case. */
  readonly field?: Field;
  /** Schema of a valid text, for the reference. */
  readonly schema: { readonly [keyword: string]: unknown };
  /** Parses the text. Returns `undefined` if it is malformed. */
  readonly read: (text: string) => Value | undefined;
  /** Message for the merchant: `must be …`. */
  readonly problem: string;
  /** Returns a message for the text that was sent, if there is a better one. */
  readonly problemOf?: (text: string) => string | undefined;
  /**
   * The parameter is sent once for each value. No RPC receives it, because the route itself
   * uses it.
   */
  readonly isList?: true;
  /** For `name=key=value` parameters, which are sent once for each key: the pattern of the keys. */
  readonly keys?: string;
  /** No RPC receives it, because the gateway itself uses it to read the body. */
  readonly isOfBody?: true;
};

export type QueryShape = Readonly<Record<string, Parameter<unknown>>>;
/** The parsed values. A parameter that was not sent is absent. */
export type QueryValues<Query> = {
  readonly [Name in keyof Query]?: Query[Name] extends Parameter<infer Value> ? Value : never;
};

type RequestField<Name, Of> =
  Of extends Parameter<unknown, infer Field extends string> ? Field : CamelCase<Name>;

/** The fields of an RPC's request that the query sets. */
export type QueryRequest<Query> = {
  [Name in keyof Query as RequestField<Name, Query[Name]> & string]?: QueryValues<Query>[Name];
};

/** Parameters that match fields of a request. */
type Fitting<Request, Query> = {
  readonly [Name in keyof Query]: RequestField<Name, Query[Name]> extends keyof Request
    ? Parameter<Request[RequestField<Name, Query[Name]>]>
    : NoSuchField<RequestField<Name, Query[Name]>>;
};

/** Defines a query. The types check each parameter against a field of the RPC's request. */
export function queryOf<Desc extends DescMessage, Query extends QueryShape>(
  _request: Desc,
  query: Query & Fitting<Shape<Desc>, Query>,
): Query {
  return query;
}

/**
 * Maximum length of a text. Our ids, codes and cursors are shorter. A merchant's reference may have
 * 255 characters.
 */
const textMax = 255;
/** Maximum length of a metadata value. */
const pairValueMax = 500;
const pageMax = 100;
const cursorPattern = new RegExp(cursorShape.pattern);

type Described<Field> = readonly [description: string, field?: Field];

function kind<Value>(reading: Pick<Parameter<Value>, "schema" | "read" | "problem">) {
  return <const Field extends string | undefined = undefined>(
    ...[description, field]: Described<Field>
  ): Parameter<Value, Field> => ({
    ...reading,
    description,
    ...(field === undefined ? {} : { field }),
  });
}

export const limit = kind<number>({
  schema: { type: "integer", minimum: 1, maximum: pageMax },
  read: (text) => {
    const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= pageMax ? value : undefined;
  },
  problem: `must be a whole number from 1 to ${pageMax}`,
});

/** A text that our services issue, such as an id or a code. */
export const token = kind<string>({
  schema: { type: "string", minLength: 1, maxLength: textMax, pattern: "^[!-~]+$" },
  read: (text) => (/^[\x21-\x7e]+$/.test(text) && text.length <= textMax ? text : undefined),
  problem: `must be 1 to ${textMax} printable characters`,
});

/**
 * The id of a record. The id of another kind is refused, by its prefix alone. Any other text is
 * accepted, and no record has it.
 */
export function id<const Field extends string | undefined = undefined>(
  noun: IdNoun,
  ...described: Described<Field>
): Parameter<string, Field> {
  const own = token(...described);
  const otherKind = (sent: string) => otherKindProblem(noun, sent);
  return {
    ...own,
    read: (sent) => (otherKind(sent) === undefined ? own.read(sent) : undefined),
    problemOf: otherKind,
  };
}

/**
 * A cursor that starts a page. An empty cursor means the first page. The last page returns an empty
 * one.
 */
export const cursor = kind<string>({
  schema: cursorShape,
  read: (text) =>
    cursorPattern.test(text) && text.length <= cursorShape.maxLength ? text : undefined,
  problem: "must be one that a list returned",
});

/** A text that the merchant chose, read in the form in which texts are stored. */
export const text = kind<string>({
  schema: { type: "string", minLength: 1, maxLength: textMax, pattern: printable },
  read: (sent) => {
    const cleaned = cleanText(sent);
    return cleaned !== "" && Array.from(cleaned).length <= textMax ? cleaned : undefined;
  },
  problem: `must be 1 to ${textMax} characters`,
});

function time(parse: typeof parseMoment) {
  return kind({
    schema: { type: "string", format: "date-time" },
    read: (text) => {
      const at = parse(text);
      return at === undefined ? undefined : timestampFromDate(at);
    },
    problem: "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z",
  });
}

/** A time in ISO 8601 format with its UTC offset, or a day. A day means its midnight in UTC. */
export const moment = time(parseMoment);

/** The start or the exclusive end of a period, written like a `moment`. */
export const bound = time(parseBound);

/** A UTC day. */
export const day = kind<string>({
  schema: { type: "string", format: "date" },
  read: (text) => (isCalendarDate(text) ? text : undefined),
  problem: "must be a day such as 2026-11-20",
});

/** Texts under keys, each sent as `name=key=value`. Client generators have no type for a map here. */
export function pairs<const Field extends string | undefined = undefined>(
  keys: string,
  ...described: Described<Field>
): Parameter<Record<string, string>, Field> {
  const items = { type: "string", pattern: `^${withoutExclusions(keys)}=.{0,${pairValueMax}}$` };
  return {
    ...kind<Record<string, string>>({
      schema: { type: "array", items },
      read: () => undefined,
      problem: `must be key=value: each key once, with a value of at most ${pairValueMax} characters`,
    })(...described),
    keys,
  };
}

/** A fixed set of words. Each word stands for a value. */
export function oneOf<Value, const Field extends string | undefined = undefined>(
  words: Readonly<Record<string, Value>>,
  ...described: Described<Field>
): Parameter<Value, Field> {
  return kind<Value>({
    schema: { type: "string", enum: Object.keys(words) },
    read: (text) => (Object.hasOwn(words, text) ? words[text] : undefined),
    problem: `must be one of ${Object.keys(words).join(", ")}`,
  })(...described);
}

/** A fixed set of words, for a text field of the RPC's request. */
export function choice<const Field extends string | undefined = undefined>(
  words: readonly string[],
  ...described: Described<Field>
): Parameter<string, Field> {
  return oneOf(Object.fromEntries(words.map((each) => [each, each])), ...described);
}

/** Marks a parameter that the gateway uses to read the body. */
export function ofBody<Value>(parameter: Parameter<Value>): Parameter<Value> & { isOfBody: true } {
  return { ...parameter, isOfBody: true };
}

/** A list of different words from a fixed set. The parameter's name ends in `[]`. */
export function listOf<const Word extends string>(
  words: readonly Word[],
  description: string,
): Parameter<readonly Word[]> {
  return {
    description,
    isList: true,
    schema: { type: "array", items: { type: "string", enum: words }, uniqueItems: true },
    read: (text) => words.filter((each) => each === text),
    problem: `must be one of ${words.join(", ")}, each once`,
  };
}

/** The name of an enum value. */
export function word<
  E extends Readonly<Record<string, number>>,
  const Field extends string | undefined = undefined,
>(values: E, ...described: Described<Field>): Parameter<E[keyof E], Field> {
  const words = enumNames(values).map((each) => [each, enumValue(values, each)] as const);
  return oneOf<E[keyof E], Field>(Object.fromEntries(words), ...described);
}

export const page = {
  limit: limit("Number of records per page; default 20."),
  cursor: cursor("`next_cursor` of the previous page; empty or left out for the first page."),
} as const;

/** Parameters that filter records by creation time. */
export const created = {
  created_from: bound("Created at or after this time."),
  created_to: bound("Created before this time."),
} as const;

/** Parameters of a report by day. */
export const days = {
  first_day: day("First UTC day; by default, the 29th day before the last one."),
  last_day: day(
    "Last UTC day, included; by default today. At most 92 days. Days after today are left out.",
  ),
} as const;

/** Parses the query. Reports all unknown, malformed and repeated parameters together. */
export function readQuery<Query extends QueryShape>(
  query: URLSearchParams,
  shape: Query,
): QueryValues<Query> | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, parameter] of Object.entries(shape)) {
    if (parameter.keys !== undefined) {
      const pairs = readPairs(query.getAll(field), parameter.keys);
      if (pairs === "malformed") violations.push({ field, problem: parameter.problem });
      else if (pairs !== undefined) values[field] = pairs;
      continue;
    }
    if (parameter.isList) {
      const words = query
        .getAll(field)
        .flatMap((each) => parameter.read(each) as readonly string[]);
      const isSound = words.length === query.getAll(field).length;
      if (!isSound || new Set(words).size < words.length)
        violations.push({ field, problem: parameter.problem });
      else if (words.length > 0) values[field] = words;
      continue;
    }
    const [text, ...repeated] = query.getAll(field);
    if (text === undefined) continue;
    values[field] = parameter.read(text);
    if (repeated.length > 0) violations.push({ field, problem: "must not be repeated" });
    else if (values[field] === undefined)
      violations.push({ field, problem: parameter.problemOf?.(text) ?? parameter.problem });
  }
  const known = Object.keys(shape);
  for (const field of new Set(query.keys())) {
    if (!Object.hasOwn(shape, field))
      violations.push(unknownField(shown(field), nearest(field, known)));
  }
  return violations.length > 0 ? invalidRequest(violations) : (values as QueryValues<Query>);
}

/** Parses texts of the form `key=value`. */
function readPairs(sent: readonly string[], keys: string) {
  const shape = new RegExp(`^(${keys})=(.*)$`, "s");
  const pairs = new Map<string, string>();
  for (const each of sent) {
    const [, key, sentValue = ""] = shape.exec(each) ?? [];
    const value = cleanText(sentValue);
    if (key === undefined || pairs.has(key) || Array.from(value).length > pairValueMax)
      return "malformed";
    pairs.set(key, value);
  }
  return pairs.size === 0 ? undefined : Object.fromEntries(pairs);
}

/** Returns a parameter's name as error messages may safely repeat it. */
function shown(name: string): string {
  const isPlain = /^[\w.[\]-]{1,64}$/.test(name);
  return isPlain ? name : shownName(name);
}

export function queryRequest<Query extends QueryShape>(
  shape: Query,
  values: QueryValues<Query>,
): QueryRequest<Query> {
  const sent = Object.entries(values).filter(
    ([name]) => shape[name]?.isList === undefined && shape[name]?.isOfBody === undefined,
  );
  const entries = sent.map(([name, value]) => [
    shape[name]?.field ?? name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries);
}
