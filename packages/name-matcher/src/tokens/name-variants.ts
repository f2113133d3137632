import { latinLookalike } from "../scripts/homoglyphs.ts";
import { canonicalSpelling } from "./canonical-spelling.ts";
import { tokenKinds } from "./token-kinds.ts";
import { boundedTokens, nameTokens, rawTokens, spellingLengthMax } from "./tokenizer.ts";

/** One name that a party's text may stand for. */
export type NameVariant = {
  readonly tokens: readonly string[];
  /** Canonical spelling of all tokens as one; "" where too short or too long to be compared. */
  readonly concatenated: string;
};

/**
 * Unicode counts quotation marks that open low (`„`, `‚`) or in a corner (`「`) as brackets. What
 * they enclose is a part of the name, not a note beside it; the same for titles in Chinese (`《`).
 */
const openBracket = /[\p{Ps}--[\p{Quotation_Mark}《〈]]/v;
const bracketed =
  /[\p{Ps}--[\p{Quotation_Mark}《〈]]([^[[\p{Ps}\p{Pe}]--[\p{Quotation_Mark}《》〈〉]]]*)(?:[\p{Pe}--[\p{Quotation_Mark}》〉]]|$)/gv;

/**
 * Punctuation between a name and another one, or between a person and somebody else: quotation
 * marks too, but for those that are apostrophes.
 */
const separators = /[\/\\;\|《》〈〉[\p{Quotation_Mark}--['‘’‛]]]|′′|\s[\-–—]\s/v;
/** Words between single quotes, which by themselves may be apostrophes. */
const singleQuoted = /(?<![\p{L}\p{N}])[‚'‘’‛](?<quoted>[^‚'‘’‛]+)['‘’](?![\p{L}\p{N}])/gu;
const phrases =
  "a\\.?\\s?k\\.?\\s?a|f\\.?\\s?k\\.?\\s?a|n\\.?k\\.?a|d[./]?b[./]?a|t/a|c/o|alias|also known as|" +
  "trading as|doing business as|formerly|née|nee|on behalf of|care of|estate of";
const aliasMarker = new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases})(?![\\p{L}\\p{N}])[.:]*`, "iu");
/** Between persons also conjunctions, which companies have in their names. */
const personSeparators = new RegExp(
  `${separators.source}|[\\&+]|\\s(?:and|or|und|et|и|و)\\s`,
  "iv",
);
/** Conjunctions that family names have too: they separate two full names only. */
const conjunctionInNames = /\s[yei]\s/iu;

/** Three single letters or more may be a word with spaces or dots between its letters. */
const spacedLetters = /(?<![^ ])[^ ](?: [^ ]){2,}(?![^ ])/g;
/** Tokens of all variants together: each variant costs as much as a search of its own. */
const variantTokensMax = 26;
/** One token alone is a part of too many names. */
const identifyingMin = 2;
/** Shorter names have the letters of too many others. */
const concatenatedLengthMin = 8;

/**
 * The names that a text may stand for: as written, first; without what stands in brackets, and that
 * alone (`Qorvath Zembling (trading as Jane Smith)`); what stands before and after `and`, `aka` or
 * a slash; with runs of single letters as words; in Latin letters where it looks Latin; with digits
 * in words as the letters that they look like (`R0sneft`). Shorter ones come first; `isComplete` is
 * false where `variantTokensMax` left some out.
 */
export function nameVariants(
  name: string,
  isPerson: boolean,
): { readonly variants: readonly NameVariant[]; readonly isComplete: boolean } {
  const written = rawTokens(name, isPerson);
  const text = name.normalize("NFKC").replace(singleQuoted, "“$<quoted>”");
  const tokensOf = (some: string): readonly string[] => rawTokens(some, isPerson);
  const separated = [
    ...bracketTexts(text),
    ...splitBy(text, isPerson ? personSeparators : separators),
  ].map(tokensOf);
  const conjoined = isPerson ? splitBy(text, conjunctionInNames).map(tokensOf) : [];
  const parts = [
    ...separated.filter((tokens) => isName(tokens, isPerson)),
    ...(conjoined.every((tokens) => isName(tokens, true)) ? conjoined : []),
    ...splitBy(text, aliasMarker)
      .map(tokensOf)
      .filter((tokens) => isAlias(tokens, isPerson)),
    tokensOf(latinLookalike(text)),
  ];
  const wholes = [written, ...parts];
  const others = [
    ...parts,
    ...wholes.map(withLettersJoined),
    ...wholes.flatMap((tokens) => ["i", "l"].map((one) => withDigitsAsLetters(tokens, one))),
  ];
  const known = new Set([written.join(" ")]);
  const variants = [variantOf(written, isPerson)];
  let room = variantTokensMax - written.length;
  for (const tokens of others.sort((a, b) => a.length - b.length)) {
    const key = tokens.join(" ");
    if (key === "" || known.has(key)) continue;
    if (tokens.length > room) return { variants, isComplete: false };
    room -= tokens.length;
    known.add(key);
    variants.push(variantOf(tokens, isPerson));
  }
  return { variants, isComplete: true };
}

/**
 * The tokens of a listed name: whole, and what is outside and inside of brackets where that names
 * somebody (`GLOBAL RELIEF FOUNDATION (GRF)`). Never a legal form or generic words alone, whose
 * only distinction stands in the brackets (`Ministry of Defence [Syria]`).
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

/** UN lists give a name in its own script in brackets after these words. */
const scriptNote = /original script:/giu;
/** The EU tells authorities apart by their country: `[Syria]`, in each of its languages. */
const oneWordInSquare = /\[\p{L}+\]/u;

function isInitialsOf([word = "", ...more]: readonly string[], of: readonly string[]): boolean {
  const initials = of.map((token) => token.charAt(0));
  let at = 0;
  for (const initial of initials) if (initial === word.charAt(at)) at += 1;
  return more.length === 0 && at === word.length;
}

/** Whether the words outside of brackets name somebody without those inside. */
function isOuterName(
  outer: readonly string[],
  inner: readonly string[],
  isPerson: boolean,
): boolean {
  if (outer.length < identifyingMin) return false;
  if (hasName(outer, isPerson)) return true;
  if (isPerson || !tokenKinds(outer, false).includes("trade")) return false;
  // A short name (`GRF`) or a legal form in brackets makes no distinction; a place does.
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

/** What is outside of brackets, and what is inside; nothing of a text without brackets. */
function bracketTexts(text: string): string[] {
  const insides = [...text.matchAll(bracketed)].map(([, inside]) => inside ?? "");
  return insides.length === 0 ? [] : [text.replace(bracketed, " "), insides.join(" ")];
}

/** The parts of a text around a separator; nothing of a text without one. */
function splitBy(text: string, separator: RegExp): string[] {
  const parts = text.split(separator);
  return parts.length === 1 ? [] : parts;
}

/** Whether tokens name somebody, and are no note or place (`Hong Kong`) beside a name. */
function isName(tokens: readonly string[], isPerson: boolean): boolean {
  const identifying = tokenKinds(tokens, isPerson).filter((kind) => kind === "name").length;
  return identifying >= (isPerson ? identifyingMin : 1) && tokens.length >= identifyingMin;
}

/** Words of notes in brackets: a branch of a company, what a person's other name is. */
const noteWords = new Set("branch name listed previously identity birth script".split(" "));

/** The same of what a list has in brackets, which are more often places, branches, legal forms. */
function isListedName(tokens: readonly string[], isPerson: boolean): boolean {
  const kinds = tokenKinds(tokens, isPerson);
  const identifying = tokens.filter((token, at) => kinds[at] === "name" && token.length > 1);
  return identifying.length >= identifyingMin && !tokens.some((token) => noteWords.has(token));
}

/** An alias may be a company's one word, or trade words alone. */
function isAlias(tokens: readonly string[], isPerson: boolean): boolean {
  if (isPerson) return isName(tokens, isPerson);
  return tokenKinds(tokens, isPerson).some((kind) => kind === "name" || kind === "trade");
}

/** Letters that digits look like; `1` is an `i` or an `l`. */
const letterOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b" }),
);
/** Three letters at least: `3M`, `A1` and `24h` are names with numbers. */
const disguised = /^(?=.*\d)(?=(?:\d*[a-z]){3})[a-z\d]+$/;

/** `r0sneft` → `rosneft`; a word of which a digit looks like no letter stays as it is. */
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

/** `u s a m a laden` → `usama laden`. */
function withLettersJoined(tokens: readonly string[]): string[] {
  const joined = tokens.join(" ").replace(spacedLetters, (run) => run.replaceAll(" ", ""));
  return joined.split(" ");
}
