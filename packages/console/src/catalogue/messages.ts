import type { GetICUArgs } from "@schummar/icu-type-parser";
import { IntlMessageFormat } from "intl-messageformat";

/** The plurals and numbers of messages are this language's. */
const language = "en";

/** A language for tests, which Chromium reserves: longer, with accents, from right to left. */
const isPseudo = navigator.languages?.includes("ar-XB") ?? false;
const pseudo = isPseudo ? (await import("./pseudo.ts")).pseudo : undefined;
if (isPseudo) document.documentElement.dir = "rtl";

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

/** Parses a message when it is first used: a page uses few of them. */
function formatted(message: string) {
  let format: IntlMessageFormat | undefined;
  return (values: Record<string, string | number>) => {
    format ??= parsed(message);
    return String(format.format(values));
  };
}

function parsed(message: string): IntlMessageFormat {
  const format = new IntlMessageFormat(message, language, {}, { ignoreTag: true });
  if (pseudo === undefined) return format;
  return new IntlMessageFormat(pseudo.message(format.getAst()), language);
}

/** Makes texts and functions of messages: those with `{` are ICU messages with arguments. */
export function textsOf<T extends Messages>(messages: T): Texts<T> {
  const entries = Object.entries(messages).map(([name, message]) => {
    if (typeof message !== "string") return [name, textsOf(message)];
    if (message.includes("{")) return [name, formatted(message)];
    return [name, pseudo?.text(message) ?? message];
  });
  return Object.fromEntries(entries);
}
