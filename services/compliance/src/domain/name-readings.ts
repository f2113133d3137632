import { nameWords, tokensOf } from "./name-tokens.ts";
import { wordKinds } from "./name-words.ts";
import { squashedSpelling } from "./squashed-name.ts";

/** One way to read a name that a party writes. */
export type NameReading = {
  readonly tokens: readonly string[];
  /** All of it as one word; see `squashedSpelling`. */
  readonly squashed: string;
};

const bracketed = /\p{Ps}([^\p{Ps}\p{Pe}]*)(?:\p{Pe}|$)/gu;

/** So many single letters in a row may be a word with spaces or dots between its letters. */
const lettersMin = 3;
/** All readings together are of few words: each costs as much as a name of its own. */
const wordsMax = 26;
/** One word alone is a part of too many names. */
const namingWordsMin = 2;

/**
 * The ways to read a name: as it is written, first; without what stands in brackets, and that alone
 * (`Qorvath Zembling (trading as Jane Smith)`); with rows of single letters as words. The
 * shortest come first where there is no time for all.
 */
export function nameReadings(name: string, isPerson: boolean): NameReading[] {
  const written = nameWords(name, isPerson);
  const texts = bracketTexts(name);
  const apart = texts.map((text) => nameWords(text, isPerson));
  const inBrackets = apart.filter((words) => isName(words, isPerson));
  const read = [written, ...inBrackets];
  const others = [...inBrackets, ...read.map(withLettersJoined)];
  const known = new Set([written.join(" ")]);
  const readings = [readingOf(written, isPerson)];
  let room = wordsMax - written.length;
  for (const words of others.sort((a, b) => a.length - b.length)) {
    if (words.length > room || known.has(words.join(" "))) continue;
    room -= words.length;
    known.add(words.join(" "));
    readings.push(readingOf(words, isPerson));
  }
  return readings;
}

function bracketTexts(name: string): string[] {
  const text = name.normalize("NFKC");
  const insides = [...text.matchAll(bracketed)].map(([, inside]) => inside ?? "");
  return insides.length === 0 ? [] : [text.replace(bracketed, " "), insides.join(" ")];
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
