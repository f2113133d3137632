import type { IntlMessageFormat } from "intl-messageformat";

type Parsed = ReturnType<IntlMessageFormat["getAst"]>;

type Element = Parsed[number];

const plain = "aceinouyACEINOUY";
const accented = "àçéîñôûýÀÇÉÎÑÔÛÝ";

/** Real translations are up to 40 % longer than English. */
const growth = 0.4;

/** Words that are added have at most as many letters. */
const wordMax = 8;

/** Marks letters, and adds letters after the last one. */
function text(words: string): string {
  const marked = words.replace(/[a-z]/gi, (letter) => {
    const at = plain.indexOf(letter);
    return at === -1 ? letter : accented.charAt(at);
  });
  const added = "ô".repeat(Math.ceil(words.trim().length * growth));
  const more = added.match(new RegExp(`.{1,${wordMax}}`, "g"))?.join(" ") ?? "";
  return marked.replace(/(\p{L})(\P{L}*)$/u, (_, last, rest) => `${last}${more}${rest}`);
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
export const pseudo = { text, message };
