import { latinLook } from "../script/homoglyphs.ts";
import { squashedSpelling } from "./squashed.ts";
import { nameTokens, nameWords, tokensOf } from "./tokens.ts";
import { wordKinds } from "./words.ts";

/** One way to read a name that a party writes. */
export type NameReading = {
  readonly tokens: readonly string[];
  /** All of it as one word; see `squashedSpelling`. */
  readonly squashed: string;
};

const openBracket = /\p{Ps}/u;
const bracketed = /\p{Ps}([^\p{Ps}\p{Pe}]*)(?:\p{Pe}|$)/gu;

/** What stands between a name and another one, or between a person and somebody else. */
const strokes = /[/\\;|"“”«»‹›„]|\s[-–—]\s/u;
const phrases =
  "a\\.?\\s?k\\.?\\s?a|f\\.?\\s?k\\.?\\s?a|n\\.?k\\.?a|d[./]?b[./]?a|t/a|c/o|alias|also known as|" +
  "trading as|doing business as|formerly|née|nee|on behalf of|care of|estate of";
const called = new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases})(?![\\p{L}\\p{N}])[.:]*`, "iu");
/** Between persons more: companies have it in their names. */
const strokesAndAnd = new RegExp(`${strokes.source}|[&+]|\\s(?:and|or|und|et|и|و)\\s`, "iu");
/** The same where family names have it too: only between two whole names. */
const andInNames = /\s[yei]\s/iu;

/** So many single letters in a row may be a word with spaces or dots between its letters. */
const lettersMin = 3;
/** All readings together are of few words: each costs as much as a name of its own. */
const wordsMax = 26;
/** One word alone is a part of too many names. */
const namingWordsMin = 2;

/**
 * The ways to read a name: as it is written, first; without what stands in brackets, and that alone
 * (`Qorvath Zembling (trading as Jane Smith)`); what stands before and after `and`, `aka` or a
 * stroke; with rows of single letters as words; in Latin letters where it looks so. The shortest
 * come first where there is no time for all.
 */
export function nameReadings(name: string, isPerson: boolean): readonly NameReading[] {
  return readName(name, isPerson).readings;
}

/** Whether a name is read in every way; of very many words there is no time for all. */
export function isReadWhole(name: string, isPerson: boolean): boolean {
  return readName(name, isPerson).isWhole;
}

function readName(
  name: string,
  isPerson: boolean,
): { readonly readings: readonly NameReading[]; readonly isWhole: boolean } {
  const written = nameWords(name, isPerson);
  const text = name.normalize("NFKC");
  const apart = [...bracketTexts(name), ...partsBetween(text, isPerson ? strokesAndAnd : strokes)];
  const wordsOf = (some: string): string[] => nameWords(some, isPerson);
  const parts = [
    ...apart.map(wordsOf).filter((words) => isName(words, isPerson)),
    ...(isPerson ? wholeNames(partsBetween(text, andInNames).map(wordsOf)) : []),
    ...partsBetween(text, called)
      .map(wordsOf)
      .filter((words) => isCalled(words, isPerson)),
  ];
  const read = [written, ...parts, wordsOf(latinLook(text))];
  const others = [...read.slice(1), ...read.map(withLettersJoined)];
  const known = new Set([written.join(" ")]);
  const readings = [readingOf(written, isPerson)];
  let room = wordsMax - written.length;
  let isWhole = true;
  for (const words of others.sort((a, b) => a.length - b.length)) {
    if (words.length === 0 || known.has(words.join(" "))) continue;
    isWhole = words.length <= room;
    if (!isWhole) break;
    room -= words.length;
    known.add(words.join(" "));
    readings.push(readingOf(words, isPerson));
  }
  return { readings, isWhole };
}

/** Parts of which each names somebody by itself; else none of them. */
function wholeNames(parts: readonly string[][]): readonly string[][] {
  return parts.every((words) => isName(words, true)) ? parts : [];
}

function bracketTexts(name: string): string[] {
  const text = name.normalize("NFKC");
  const insides = [...text.matchAll(bracketed)].map(([, inside]) => inside ?? "");
  return insides.length === 0 ? [] : [text.replace(bracketed, " "), insides.join(" ")];
}

/** The parts of a text that has any of these in it. */
function partsBetween(text: string, separator: RegExp): string[] {
  const parts = text.split(separator);
  return parts.length === 1 ? [] : parts;
}

/**
 * The ways to read a listed name: whole, and what is outside and inside of brackets where that
 * names somebody (`GLOBAL RELIEF FOUNDATION (GRF)`).
 */
export function listedReadings(name: string, isPerson: boolean): (readonly string[])[] {
  const whole = nameTokens(name, isPerson);
  if (whole.length === 0) return [];
  if (!openBracket.test(name)) return [whole];
  const [outside = "", inside = ""] = bracketTexts(name);
  const [outer, inner] = [outside, inside].map((text) => nameTokens(text, isPerson));
  const readings = [whole];
  if (outer !== undefined && outer.length >= namingWordsMin) readings.push(outer);
  if (inner !== undefined && isListedName(inner, isPerson)) readings.push(inner);
  return readings;
}

function readingOf(words: readonly string[], isPerson: boolean): NameReading {
  return { tokens: tokensOf(words, isPerson), squashed: squashedSpelling(words) };
}

/** Whether words name somebody, and are no note or place (`Hong Kong`) beside a name. */
function isName(words: readonly string[], isPerson: boolean): boolean {
  const kinds = wordKinds(words, isPerson);
  const naming = kinds.filter((kind) => kind === "name").length;
  return naming >= (isPerson ? namingWordsMin : 1) && words.length >= namingWordsMin;
}

/** The same of what a list has in brackets, which places, branches and legal forms are oftener. */
function isListedName(words: readonly string[], isPerson: boolean): boolean {
  const kinds = wordKinds(words, isPerson);
  const naming = words.filter((word, at) => kinds[at] === "name" && word.length > 1);
  return naming.length >= namingWordsMin && !words.includes("branch");
}

/** What somebody is said to be called may be a company's one word, or words of trade alone. */
function isCalled(words: readonly string[], isPerson: boolean): boolean {
  if (isPerson) return isName(words, isPerson);
  return wordKinds(words, isPerson).some((kind) => kind === "name" || kind === "trade");
}

/** `u s a m a laden` → `usama laden`. */
function withLettersJoined(words: readonly string[]): string[] {
  const joined: string[] = [];
  let row: string[] = [];
  const endRow = (): void => {
    if (row.length >= lettersMin) joined.push(row.join(""));
    else joined.push(...row);
    row = [];
  };
  for (const word of words) {
    if (word.length === 1) row.push(word);
    else {
      endRow();
      joined.push(word);
    }
  }
  endRow();
  return joined;
}
