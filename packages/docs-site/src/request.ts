/** A value of a body; a string `$NAME` is a variable's. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of a body. */
export type JsonObject = { readonly [name: string]: Json };

/** What a sample asks for, in whatever language. */
export type SampleRequest = {
  readonly method: string;
  /** With `$NAME` where a variable goes; without its query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
  /** Name of the file that the answer is, where it is no JSON. */
  readonly file?: string;
  /** Where the operation is in the SDK; absent where no method is for it. */
  readonly sdk?: {
    readonly resource: string;
    readonly method: string;
    /** Whether the answer is a page of records. */
    readonly isPage: boolean;
    /** Whether the query is part of the call's options. */
    readonly hasBody: boolean;
  };
  /** What each variable is, where a sample of its own has to say so: `{ ENDPOINT: "whe_…" }`. */
  readonly variables: Readonly<Record<string, string>>;
};

/** Stands in samples for the origin that serves the page. */
export const originMark = "{origin}";

/** The variables of a text that has some, in their order. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$([A-Z]+)/g)].map(([, name = ""]) => name);
}

/** The variables that a request uses, each once. */
export function variablesOf({ path, query, body }: SampleRequest): string[] {
  const texts = [path, ...query.map(([, value]) => value), JSON.stringify(body ?? {})];
  return [...new Set(texts.flatMap(variablesIn))];
}

/** The address with its query, as text of a sample. */
export function addressOf({ path, query }: SampleRequest): string {
  const asked = query.map(([name, value]) => `${name}=${value}`).join("&");
  return `${originMark}${path}${asked === "" ? "" : `?${asked}`}`;
}

/** What a variable is called in languages other than the shell. */
export function variableName(name: string): string {
  return name.toLowerCase();
}
