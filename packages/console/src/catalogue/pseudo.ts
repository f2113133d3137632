import type { Transform } from "./messages.ts";

type Parsed = Parameters<Transform["message"]>[0];
type Element = Parsed[number];

const plain = "aceinouyACEINOUY";
const accented = "àçéîñôûýÀÇÉÎÑÔÛÝ";

/** Real translations are up to 40 % longer than English. */
const growth = 0.4;

/** Marks letters, and repeats the last word's vowel until the text is long enough. */
function text(words: string): string {
  const marked = words.replace(/[a-z]/gi, (letter) => {
    const at = plain.indexOf(letter);
    return at === -1 ? letter : accented.charAt(at);
  });
  if (!/\p{L}/u.test(words)) return marked;
  const added = Math.ceil(words.trim().length * growth);
  return marked.replace(
    /(\p{L})(\P{L}*)$/u,
    (_, last, rest) => `${last}${"ô".repeat(added)}${rest}`,
  );
}

/** Changes the words of a parsed message, and keeps its arguments. */
function message(parsed: Parsed): Parsed {
  return parsed.map((each): Element => {
    if ("options" in each) {
      const options = Object.entries(each.options).map(([rule, option]) => [
        rule,
        { ...option, value: message(option.value) },
      ]);
      return { ...each, options: Object.fromEntries(options) } as Element;
    }
    return isLiteral(each) ? { ...each, value: text(each.value) } : each;
  });
}

/** The parser's number for an element of words only. */
const literalType = 0;

const isLiteral = (element: Element): element is Extract<Element, { type: 0 }> =>
  element.type === literalType;

/** Makes texts that show cut words, fixed directions and texts outside the catalogue. */
export const pseudoMessage: Transform = { text, message };
