import type { DescMessage } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { valueOfWord, wordsOf } from "@disburse/chassis/rpc/enum-words.ts";
import type { CamelCase, NoSuchField, Shape } from "./fields.ts";
import {
  limitParameter,
  type Parameter,
  parameter,
  type QueryShape,
  type QueryValues,
  tokenParameter,
  wordParameter,
} from "./rules/query.ts";

type RequestField<Name, Of> =
  Of extends Parameter<unknown, infer Field extends string> ? Field : CamelCase<Name>;

type RequestValue<Of> =
  Of extends Parameter<infer Value> ? (Value extends Date ? Timestamp : Value) : never;

/** The fields of an RPC's request that a query gives. */
export type QueryRequest<Query> = {
  [Name in keyof Query as RequestField<Name, Query[Name]> & string]?: RequestValue<Query[Name]>;
};

/** The fields of the RPC's request; a time becomes the contract's. */
export function queryRequest<Query extends QueryShape>(
  shape: Query,
  values: QueryValues<Query>,
): QueryRequest<Query> {
  const entries = Object.entries(values).map(([name, value]) => [
    shape[name]?.field ?? name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
    value instanceof Date ? timestampFromDate(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Parameters that all fit fields of a request. */
type Fitting<Request, Query> = {
  readonly [Name in keyof Query]: RequestField<Name, Query[Name]> extends keyof Request
    ? Parameter<Exclude<Request[RequestField<Name, Query[Name]>], Timestamp> | Date>
    : NoSuchField<RequestField<Name, Query[Name]>>;
};

/** The parameters of a query, checked against the fields of the RPC's request. */
export function queryOf<Desc extends DescMessage, Query extends QueryShape>(
  _request: Desc,
  query: Query & Fitting<Shape<Desc>, Query>,
): Query {
  return query;
}

/** One word of an enum of the contract. */
export function enumParameter<E extends Readonly<Record<string, number>>>(values: E) {
  const words = wordsOf(values).map((word) => [word, valueOfWord(values, word)] as const);
  return wordParameter<E[keyof E]>(Object.fromEntries(words));
}

/** The parameters of every list: a page's length, and where it begins. */
export const pageQuery = {
  limit: parameter(limitParameter, "How many records a page has; 20 when left out."),
  cursor: parameter(tokenParameter, "`next_cursor` of the page before; the first when left out."),
} as const;
