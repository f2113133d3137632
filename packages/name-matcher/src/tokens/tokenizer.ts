import { toLatin } from "../scripts/transliteration.ts";
import { wholeWords } from "./whole-words.ts";

/**
 * The maximum letters that a comparison of spellings reads. It is the size of the distance table.
 */
export const spellingLengthMax = 63;
/**
 * The maximum compared tokens of a name. More tokens do not help to identify a party, and a sender
 * could use them to slow down the search.
 */
export const tokensMax = 24;
/**
 * The maximum letters of a token. A compound of two tokens still fits into a comparison. No listed
 * token is longer.
 */
export const tokenLengthMax = Math.floor(spellingLengthMax / 2);

const apostrophes = /['’‘‛ʻʼ`´ʿʾ]/g;
/** `S.A. de C.V.` → `sa de cv`: a company's single letters between dots are one abbreviation. */
const abbreviation = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}(?:\p{L}(?![\p{L}\p{N}.]))?/gu;
const separators = /[^\p{L}\p{N}]+/u;
const ascii = /^\p{ASCII}*$/u;
/** Separators of ASCII text. This pattern takes a tenth of the time of the Unicode pattern. */
const asciiSeparators = /[^a-zA-Z0-9]+/;

/**
 * Returns the tokens of a name in its order, in Latin letters, lower case and without diacritics. A
 * person's initials stay separate (`Serena B. L. Ng`).
 */
export function nameTokens(name: string, isPerson: boolean): string[] {
  return boundedTokens(rawTokens(name, isPerson), isPerson);
}

/**
 * Returns all tokens of a name in Latin letters, as `romanize` reads it. Their number and length
 * are not limited.
 */
export function rawTokens(
  name: string,
  isPerson: boolean,
  romanize: (text: string) => string = toLatin,
): readonly string[] {
  const latin = romanize(name).replace(apostrophes, "");
  const whole =
    isPerson || !latin.includes(".")
      ? latin
      : latin.replace(abbreviation, (dotted) => `${dotted.replace(/[.\s]/g, "")} `);
  const split = whole.split(ascii.test(whole) ? asciiSeparators : separators);
  const tokens = split.includes("") ? split.filter((token) => token !== "") : split;
  return isPerson ? withWholeDegrees(tokens) : wholeWords(tokens);
}

/** Limits raw tokens to `tokensMax` and `tokenLengthMax`. */
export function boundedTokens(raw: readonly string[], isPerson: boolean): string[] {
  const tokens = raw.slice(0, tokensMax).map((token) => token.slice(0, tokenLengthMax));
  return isPerson ? withArabicCompounds(tokens) : tokens;
}

/**
 * Academic degrees with separate letters (`Ph.D.`, `M. Sc.`). Unless joined, the letters would
 * count as initials.
 */
const degrees =
  "ph d, m d, b sc, m sc, m b a, ll b, ll m, d phil, m phil, b com, m com, d b a, ed d, c p a, c f a";
const degreesByFirst = Map.groupBy(
  degrees.split(", ").map((degree) => degree.split(" ")),
  ([first]) => first,
);

/**
 * Joins each degree after a person's name to one token. Before a name, the same letters are
 * initials.
 */
function withWholeDegrees(tokens: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const known = at === 0 ? undefined : degreesByFirst.get(tokens[at]);
    const degree = known?.find((words) => words.every((word, on) => tokens[at + on] === word));
    whole.push(degree?.join("") ?? tokens[at] ?? "");
    at += (degree?.length ?? 1) - 1;
  }
  return whole;
}

const abd = /^(?:abd|abde|abdu|abdo)$/;
const abdul = /^abd[aeou]l$/;
const article = /^(?:al|ul|el|ol|ar|ur|er|as|us|es|ash|az|uz|ad|ud|ed|at|an|un|en)$/;
const din = /^d(?:i|ee|y)ne?$/;

/**
 * Joins Arabic given names of two words to one token each. Lists write them as one, two or three
 * words (`Abd al-Malik`, `Abdul Malik`, `Abdelmalek`; `Nur al-Din`, `Noureddine`).
 */
function withArabicCompounds(tokens: readonly string[]): string[] {
  const whole: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const next = tokens[at + 1];
    const afterNext = tokens[at + 2];
    if (abd.test(token) && next !== undefined && article.test(next) && afterNext) {
      whole.push(`abdul${afterNext}`);
      at += 2;
    } else if (abdul.test(token) && next !== undefined) {
      whole.push(`abdul${next}`);
      at += 1;
    } else if (next !== undefined && article.test(next) && din.test(afterNext ?? "")) {
      whole.push(`${token}uddin`);
      at += 2;
    } else whole.push(token);
  }
  return whole.map((token) => token.slice(0, tokenLengthMax));
}

/** The maximum letters of a compound. A longer one cannot be a misspelling of a listed token. */
const compoundLengthMax = 28;
/** The minimum letters of half of a compound. A single letter is an initial. */
const halfLengthMin = 2;

/**
 * Returns the pairs of tokens that the other name may write as one (`Abd Ullah`, `Abdullah`). Each
 * token forms a pair with the next one. The last token also forms a pair with the first, because
 * one list writes `HAMDAN, Usama` and another source `Usamahamdan`.
 */
export function adjacentPairs<T>(
  tokens: readonly T[],
  textOf: (token: T) => string,
): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  if (tokens.length < 2) return pairs;
  for (const [first, token] of tokens.entries()) {
    const second = (first + 1) % tokens.length;
    const one = textOf(token).length;
    const two = textOf(tokens[second] ?? token).length;
    if (one < halfLengthMin || two < halfLengthMin || one + two > compoundLengthMax) continue;
    pairs.push([first, second]);
  }
  return pairs;
}

/** The minimum letters of a prefix or suffix. Too many tokens share shorter ones. */
const partLengthMin = 4;

/**
 * Returns prefixes and suffixes of a token. They find a compound that has a typo in one of its
 * halves.
 */
export function compoundParts(token: string): string[] {
  const parts: string[] = [];
  for (let at = partLengthMin; at <= token.length - partLengthMin; at += 1) {
    parts.push(token.slice(0, at), token.slice(at));
  }
  return parts;
}
