import { wordLengthMax } from "./spelling.ts";
import { toLatin } from "./transliteration.ts";

/** More words than this say no more about who is meant, and cost time that a sender chooses. */
export const tokensMax = 24;
/** Cut so that two of them joined are still comparable; no listed word is longer. */
const tokenLengthMax = Math.floor(wordLengthMax / 2);

/** Two neighbours joined are no misspelling of one listed word past this length. */
export const joinedLengthMax = 28;

const apostrophes = /['’‘ʻʼ`´ʿʾ"“”]/g;
/** `S.A. de C.V.` → `sa de cv`: a company's single letters between dots are one abbreviation. */
const abbreviation = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}/gu;
const separators = /[^\p{L}\p{N}]+/u;

/**
 * The words of a name, in its order, as they are compared: Latin, lower case, bare. A person's
 * initials stay apart (`Serena B. L. Ng`).
 */
export function nameTokens(name: string, isPerson: boolean): string[] {
  const latin = toLatin(name).replace(apostrophes, "");
  const whole = isPerson
    ? latin
    : latin.replace(abbreviation, (dotted) => `${dotted.replace(/[.\s]/g, "")} `);
  return whole
    .split(separators)
    .filter((token) => token !== "")
    .slice(0, tokensMax)
    .map((token) => token.slice(0, tokenLengthMax));
}
