import { wordLengthMax } from "../alignment/spelling-distance.ts";
import { toLatin } from "../script/transliteration.ts";

/** More words than this say no more about who is meant, and cost time that a sender chooses. */
export const tokensMax = 24;
/** Cut so that two of them joined are still comparable; no listed word is longer. */
export const tokenLengthMax = Math.floor(wordLengthMax / 2);

/** Two neighbours joined are no misspelling of one listed word past this length. */
export const joinedLengthMax = 28;

const apostrophes = /['’‘ʻʼ`´ʿʾ"“”]/g;
/** `S.A. de C.V.` → `sa de cv`: a company's single letters between dots are one abbreviation. */
const abbreviation = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}(?:\p{L}(?![\p{L}\p{N}.]))?/gu;
const separators = /[^\p{L}\p{N}]+/u;
const ascii = /^\p{ASCII}*$/u;
/** The same for text that is ASCII, where it takes a tenth of the time. */
const asciiSeparators = /[^a-zA-Z0-9]+/;

/**
 * The words of a name, in its order, as they are compared: Latin, lower case, bare. A person's
 * initials stay apart (`Serena B. L. Ng`).
 */
export function nameTokens(name: string, isPerson: boolean): string[] {
  return tokensOf(nameWords(name, isPerson), isPerson);
}

/** All words of a name as they are written, none cut. */
export function nameWords(name: string, isPerson: boolean): string[] {
  const latin = toLatin(name).replace(apostrophes, "");
  const whole =
    isPerson || !latin.includes(".")
      ? latin
      : latin.replace(abbreviation, (dotted) => `${dotted.replace(/[.\s]/g, "")} `);
  const words = whole.split(ascii.test(whole) ? asciiSeparators : separators);
  return words.includes("") ? words.filter((word) => word !== "") : words;
}

/** Words of a name as they are compared: no more and no longer than that can be. */
export function tokensOf(words: readonly string[], isPerson: boolean): string[] {
  const tokens = words.slice(0, tokensMax).map((word) => word.slice(0, tokenLengthMax));
  return isPerson ? withWholeArabicNames(tokens) : tokens;
}

const servant = /^(?:abd|abde|abdu|abdo)$/;
const servantOfThe = /^abd[aeou]l$/;
const article = /^(?:al|ul|el|ol|ar|ur|er|as|us|es|ash|az|uz|ad|ud|ed|at|an|un|en)$/;
const religion = /^d(?:i|ee|y)ne?$/;

/**
 * Arabic given names of two words, which lists write as one, two or three (`Abd al-Malik`, `Abdul
 * Malik`, `Abdelmalek`; `Nur al-Din`, `Noureddine`): here always as one.
 */
function withWholeArabicNames(tokens: readonly string[]): string[] {
  const whole: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    const afterNext = tokens[at + 2];
    if (servant.test(token) && next !== undefined && article.test(next) && afterNext) {
      whole.push(`abdul${afterNext}`);
      at += 2;
    } else if (servantOfThe.test(token) && next !== undefined) {
      whole.push(`abdul${next}`);
      at += 1;
    } else if (next !== undefined && article.test(next) && religion.test(afterNext ?? "")) {
      whole.push(`${token}uddin`);
      at += 2;
    } else whole.push(token);
  }
  return whole.map((token) => token.slice(0, tokenLengthMax));
}
