/** A value of a body; the string `$NAME` stands for a variable. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json };

/** The request of a sample, independent of the language. */
export type SampleRequest = {
  readonly method: string;
  /** The path without the query; contains `$NAME` for variables. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
  /** The file name of a response that isn't JSON. */
  readonly file?: string;
  /** The operation's SDK method; absent if it has none. */
  readonly sdk?: {
    readonly resource: string;
    readonly method: string;
    /** True if the response is a page of records. */
    readonly isPage: boolean;
    /** True if the query is part of the call's options. */
    readonly hasBody: boolean;
  };
  /** Values of the variables that the sample declares: `{ ENDPOINT: "whe_…" }`. */
  readonly variables: Readonly<Record<string, string>>;
};

/** The placeholder for the origin that serves the page. */
export const originMark = "{origin}";

/** Returns the variables in a text, in order. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$([A-Z]+)/g)].map(([, name = ""]) => name);
}

/** Returns the distinct variables of a request. */
export function variablesOf({ path, query, body }: SampleRequest): string[] {
  const texts = [path, ...query.map(([, value]) => value), JSON.stringify(body ?? {})];
  return [...new Set(texts.flatMap(variablesIn))];
}

/** Returns the address with its query, for use in a sample. */
export function addressOf({ path, query }: SampleRequest): string {
  const pairs = query.map(([name, value]) => `${name}=${value}`).join("&");
  return `${originMark}${path}${pairs === "" ? "" : `?${pairs}`}`;
}

/** Returns a variable's name in languages other than the shell. */
export function variableName(name: string): string {
  return name.toLowerCase();
}
