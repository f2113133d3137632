import type { GetICUArgs } from "@schummar/icu-type-parser";
import { IntlMessageFormat } from "intl-messageformat";

/** Messages are written with this language's plurals, numbers and lists. */
export const language = "en";

type Argument = { ICUArgument: string | number; ICUNumberArgument: number };

/** A text, or a function of a message's arguments. */
type Message<T extends string> = string extends T
  ? string
  : T extends `${string}{${string}`
    ? (values: GetICUArgs<T, Argument>) => string
    : string;

type Messages = { readonly [name: string]: string | Messages };

export type Texts<T> = {
  readonly [K in keyof T]: T[K] extends string ? Message<T[K]> : Texts<T[K]>;
};

type Parsed = ReturnType<IntlMessageFormat["getAst"]>;

export type Transform = {
  text(text: string): string;
  message(parsed: Parsed): Parsed;
};

/** Parses a message when it is first used: a page uses few of them. */
function formatted(message: string, transform: Transform | undefined) {
  let format: IntlMessageFormat | undefined;
  return (values: Record<string, string | number>) => {
    if (format === undefined) {
      format = new IntlMessageFormat(message, language, {}, { ignoreTag: true });
      if (transform !== undefined) {
        format = new IntlMessageFormat(transform.message(format.getAst()), language);
      }
    }
    return String(format.format(values));
  };
}

/** Makes texts and functions of messages. A transformation replaces their words. */
export function textsOf<T extends Messages>(messages: T, transform?: Transform): Texts<T> {
  const entries = Object.entries(messages).map(([name, message]) => {
    if (typeof message !== "string") return [name, textsOf(message, transform)];
    if (message.includes("{")) return [name, formatted(message, transform)];
    return [name, transform?.text(message) ?? message];
  });
  return Object.fromEntries(entries);
}
