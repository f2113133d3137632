import { latinLookalike } from "../scripts/homoglyphs.ts";
import { toLatinBySound } from "../scripts/transliteration.ts";
import { canonicalSpelling } from "./canonical-spelling.ts";
import { tokenKinds } from "./token-kinds.ts";
import { boundedTokens, nameTokens, rawTokens, spellingLengthMax } from "./tokenizer.ts";

/** One possible reading of a party's name. */
export type NameVariant = {
  readonly tokens: readonly string[];
  /** Canonical spelling of all tokens joined; "" if too short or too long to compare. */
  readonly concatenated: string;
};

/**
 * Brackets that open a note. Unicode also classifies low (`„`, `‚`) and corner (`「`) quotation
 * marks as brackets. They are excluded, because quoted text is part of the name. The same applies
 * to Chinese title marks (`《`).
 */
const openBracket = /[\p{Ps}--[\p{Quotation_Mark}《〈]]/v;
const bracketed =
  /[\p{Ps}--[\p{Quotation_Mark}《〈]]([^[[\p{Ps}\p{Pe}]--[\p{Quotation_Mark}《》〈〉]]]*)(?:[\p{Pe}--[\p{Quotation_Mark}》〉]]|$)/gv;

/** Punctuation between two names or two persons. It includes quotation marks except apostrophes. */
const separators = /[\/\\;\|《》〈〉[\p{Quotation_Mark}--['‘’‛]]]|′′|\s[\-–—]\s/v;
/** Words between single quotes. Each of these quotes could also be an apostrophe. */
const singleQuoted = /(?<![\p{L}\p{N}])[‚'‘’‛](?<quoted>[^‚'‘’‛]+)['‘’](?![\p{L}\p{N}])/gu;
const phrases =
  "a\\.?\\s?k\\.?\\s?a|f\\.?\\s?k\\.?\\s?a|n\\.?k\\.?a|d[./]?b[./]?a|t/a|c/o|alias|also known as|" +
  "trading as|doing business as|formerly|née|nee|on behalf of|care of|estate of";
const aliasMarker = new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases})(?![\\p{L}\\p{N}])[.:]*`, "iu");
/** Separators of persons include conjunctions. A company's name may contain a conjunction. */
const personSeparators = new RegExp(
  `${separators.source}|[\\&+]|\\s(?:and|or|und|et|и|و)\\s`,
  "iv",
);
/**
 * Conjunctions that also occur in family names. They separate names only between two full names.
 */
const conjunctionInNames = /\s[yei]\s/iu;

const greek = /\p{Script=Greek}/u;

/** Three or more single letters in a row. They may be one word, written with spaces or dots. */
const spacedLetters = /(?<![^ ])[^ ](?: [^ ]){2,}(?![^ ])/g;
/** The maximum tokens of all variants together. Each variant costs a search. */
const variantTokensMax = 26;
/** The minimum identifying tokens of a variant. Too many names contain a single token. */
const identifyingMin = 2;
/** The minimum letters of a joined name. Too many names have the letters of a shorter one. */
const concatenatedLengthMin = 8;

/**
 * Returns the possible readings of a name: first the name as written, then the others from short to
 * long. Readings include the text outside and inside of brackets (`Qorvath Zembling (trading as
 * Jane Smith)`), and the text before and after `and`, `aka` or a slash. Rows of single letters are
 * joined to words. Homoglyphs become Latin letters, and digits within words become the letters that
 * they resemble (`R0sneft`). Greek letters are also read by sound (`Πριγκόζιν`). `isComplete` is false if `variantTokensMax` omitted some readings.
 */
export function nameVariants(
  name: string,
  isPerson: boolean,
): { readonly variants: readonly NameVariant[]; readonly isComplete: boolean } {
  const written = rawTokens(name, isPerson);
  const text = name.normalize("NFKC").replace(singleQuoted, "“$<quoted>”");
  const tokensOf = (some: string): readonly string[] => rawTokens(some, isPerson);
  const soundsOf = (some: string): (readonly string[])[] =>
    greek.test(some) ? [rawTokens(some, isPerson, toLatinBySound)] : [];
  const readingsOf = (some: string): (readonly string[])[] => [tokensOf(some), ...soundsOf(some)];
  const separated = [
    ...bracketTexts(text),
    ...splitBy(text, isPerson ? personSeparators : separators),
  ].flatMap(readingsOf);
  const conjoined = isPerson ? splitBy(text, conjunctionInNames).map(tokensOf) : [];
  const parts = [
    ...separated.filter((tokens) => isName(tokens, isPerson)),
    ...(conjoined.every((tokens) => isName(tokens, true)) ? conjoined : []),
    ...splitBy(text, aliasMarker)
      .flatMap(readingsOf)
      .filter((tokens) => isAlias(tokens, isPerson)),
    tokensOf(latinLookalike(text)),
    ...soundsOf(text),
  ];
  const wholes = [written, ...parts];
  const others = [
    ...parts,
    ...wholes.map(withLettersJoined),
    ...wholes.flatMap((tokens) => ["i", "l"].map((one) => withDigitsAsLetters(tokens, one))),
  ];
  const known = new Set([written.join(" ")]);
  const variants = [variantOf(written, isPerson)];
  let remaining = variantTokensMax - written.length;
  for (const tokens of others.sort((a, b) => a.length - b.length)) {
    const key = tokens.join(" ");
    if (key === "" || known.has(key)) continue;
    if (tokens.length > remaining) return { variants, isComplete: false };
    remaining -= tokens.length;
    known.add(key);
    variants.push(variantOf(tokens, isPerson));
  }
  return { variants, isComplete: true };
}

/**
 * Returns the readings of a listed name as tokens: the whole name, and the text outside and inside
 * of brackets if that is a name (`GLOBAL RELIEF FOUNDATION (GRF)`). If only the brackets
 * distinguish a generic name (`Ministry of Defence [Syria]`), the generic part alone is not
 * returned.
 */
export function listedNameVariants(name: string, isPerson: boolean): (readonly string[])[] {
  const whole = nameTokens(name, isPerson);
  if (whole.length === 0) return [];
  if (!openBracket.test(name)) return [whole];
  const variants = [whole];
  const text = name.normalize("NFKC").replace(scriptNote, "");
  const [outer = [], inner = []] = bracketTexts(text).map((part) => nameTokens(part, isPerson));
  const isPlace = !isPerson && oneWordInSquare.test(text) && !isInitialsOf(inner, outer);
  if (!isPlace && isOuterName(outer, inner, isPerson)) variants.push(outer);
  if (isListedName(inner, isPerson)) variants.push(inner);
  return variants;
}

/** UN lists write these words in brackets before a name in its original script. */
const scriptNote = /original script:/giu;
/**
 * One word in square brackets. The EU adds the country to the names of authorities, in each of its
 * languages: `[Syria]`.
 */
const oneWordInSquare = /\[\p{L}+\]/u;

function isInitialsOf([word = "", ...more]: readonly string[], of: readonly string[]): boolean {
  const initials = of.map((token) => token.charAt(0));
  let at = 0;
  for (const initial of initials) if (initial === word.charAt(at)) at += 1;
  return more.length === 0 && at === word.length;
}

/** True if the words outside of brackets are a name by themselves. */
function isOuterName(
  outer: readonly string[],
  inner: readonly string[],
  isPerson: boolean,
): boolean {
  if (outer.length < identifyingMin) return false;
  if (hasName(outer, isPerson)) return true;
  if (isPerson || !tokenKinds(outer, false).includes("trade")) return false;
  // A short name (`GRF`) or a legal form in brackets does not distinguish two names. A place does.
  const kinds = tokenKinds(inner, false);
  const isShortName = inner.length === 1 && kinds[0] === "name";
  return isShortName || kinds.every((kind) => kind === "legal");
}

function hasName(tokens: readonly string[], isPerson: boolean): boolean {
  const kinds = tokenKinds(tokens, isPerson);
  return tokens.some((token, at) => kinds[at] === "name" && token.length > 1);
}

function variantOf(tokens: readonly string[], isPerson: boolean): NameVariant {
  const text = tokens.join("");
  const isComparable = text.length >= concatenatedLengthMin && text.length <= spellingLengthMax;
  const concatenated = isComparable ? canonicalSpelling(text) : "";
  return { tokens: boundedTokens(tokens, isPerson), concatenated };
}

/** Returns the text outside and inside of brackets; an empty list if there are no brackets. */
function bracketTexts(text: string): string[] {
  const insides = [...text.matchAll(bracketed)].map(([, inside]) => inside ?? "");
  return insides.length === 0 ? [] : [text.replace(bracketed, " "), insides.join(" ")];
}

/** Returns the parts around a separator; an empty list if there is none. */
function splitBy(text: string, separator: RegExp): string[] {
  const parts = text.split(separator);
  return parts.length === 1 ? [] : parts;
}

/** True if the tokens are a name, false if they are a note or a place (`Hong Kong`). */
function isName(tokens: readonly string[], isPerson: boolean): boolean {
  const identifying = tokenKinds(tokens, isPerson).filter((kind) => kind === "name").length;
  return identifying >= (isPerson ? identifyingMin : 1) && tokens.length >= identifyingMin;
}

/** Words of notes in brackets, about a branch of a company or a person's other name. */
const noteWords = new Set("branch name listed previously identity birth script".split(" "));

/**
 * Like `isName`, but stricter: brackets of listed names more often contain places, branches and
 * legal forms.
 */
function isListedName(tokens: readonly string[], isPerson: boolean): boolean {
  const kinds = tokenKinds(tokens, isPerson);
  const identifying = tokens.filter((token, at) => kinds[at] === "name" && token.length > 1);
  return identifying.length >= identifyingMin && !tokens.some((token) => noteWords.has(token));
}

/** An alias may be a company's single word, or trade words alone. */
function isAlias(tokens: readonly string[], isPerson: boolean): boolean {
  if (isPerson) return isName(tokens, isPerson);
  return tokenKinds(tokens, isPerson).some((kind) => kind === "name" || kind === "trade");
}

/** The letter that each digit resembles. `1` resembles both `i` and `l`. */
const letterOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b" }),
);
/**
 * A word that may write letters as digits, such as `p3ter`. Words with fewer than three letters are
 * real names: `3M`, `A1`, `24h`.
 */
const disguised = /^(?=.*\d)(?=(?:\d*[a-z]){3})[a-z\d]+$/;

/**
 * Replaces digits by letters: `r0sneft` → `rosneft`. A word with a digit that resembles no letter
 * stays unchanged.
 */
function withDigitsAsLetters(tokens: readonly string[], one: string): readonly string[] {
  if (!tokens.some((token) => disguised.test(token))) return tokens;
  return tokens.map((token) => {
    if (!disguised.test(token)) return token;
    const letters = token.replace(/\d/g, (digit) =>
      digit === "1" ? one : (letterOf.get(digit) ?? digit),
    );
    return /\d/.test(letters) ? token : letters;
  });
}

/** Joins single letters: `u s a m a laden` → `usama laden`. */
function withLettersJoined(tokens: readonly string[]): string[] {
  const joined = tokens.join(" ").replace(spacedLetters, (run) => run.replaceAll(" ", ""));
  return joined.split(" ");
}
