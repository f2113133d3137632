import { editDistance, soundKey } from "./spelling.ts";

/**
 * The words of all listed names, each once, findable by themselves, by any one edit (two words are
 * one edit apart only if deleting at most one letter of each can make them equal, so each word is
 * kept under itself and every deletion), and by sound. Look-ups are by hash; none walks the
 * vocabulary.
 */
export type Vocabulary = {
  readonly words: readonly string[];
  /** The id of a word that is listed exactly so. */
  exact(word: string): number | undefined;
  /** Ids of listed words that may be this one: equal, one edit away, or the same by sound. */
  similar(word: string): number[];
};

export type VocabularyBuilder = {
  /** The id of a word, new or known; `sounds` enters a new one by sound too. */
  add(word: string, sounds: boolean): number;
  finish(): Vocabulary;
};

/** Shorter words are found only as they are: one edit makes any of them any other. */
const editedLengthMin = 4;

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** FNV-1a of a word with the letter at `without` left out; -1 leaves out none. */
function hashWithout(word: string, without: number): number {
  let hash = fnvOffset;
  for (let at = 0; at < word.length; at += 1) {
    if (at !== without) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  }
  return hash >>> 0;
}

/** The keys of a word: of itself and, when it is long enough, of each deletion. */
function* deletionKeys(word: string): Generator<number> {
  yield hashWithout(word, -1);
  if (word.length < editedLengthMin) return;
  for (let at = 0; at < word.length; at += 1) yield hashWithout(word, at);
}

/** A closed multimap of 32-bit keys to word ids: chains in flat arrays, 12 bytes an item. */
type KeyTable = { forEach(key: number, visit: (id: number) => void): void };

function keyTable(keys: readonly number[], ids: readonly number[]): KeyTable {
  const buckets = 2 ** Math.ceil(Math.log2(keys.length + 1));
  const heads = new Int32Array(buckets).fill(-1);
  const next = new Int32Array(keys.length);
  const keyAt = Uint32Array.from(keys);
  const idAt = Uint32Array.from(ids);
  for (let at = 0; at < keys.length; at += 1) {
    const bucket = (keyAt[at] ?? 0) & (buckets - 1);
    next[at] = heads[bucket] ?? -1;
    heads[bucket] = at;
  }
  return {
    forEach(key, visit) {
      let at = heads[key & (buckets - 1)] ?? -1;
      while (at >= 0) {
        if (keyAt[at] === key) visit(idAt[at] ?? 0);
        at = next[at] ?? -1;
      }
    },
  };
}

/** Collects the words of a list. */
export function vocabularyBuilder(): VocabularyBuilder {
  const words: string[] = [];
  const idOf = new Map<string, number>();
  const bySound = new Map<string, number[]>();
  const keys: number[] = [];
  const keyIds: number[] = [];

  const enterSound = (word: string, id: number): void => {
    const key = soundKey(word);
    if (key === "") return;
    const same = bySound.get(key);
    if (same === undefined) bySound.set(key, [id]);
    else same.push(id);
  };
  return {
    add(word, sounds) {
      const known = idOf.get(word);
      if (known !== undefined) return known;
      const id = words.length;
      words.push(word);
      idOf.set(word, id);
      for (const key of deletionKeys(word)) {
        keys.push(key);
        keyIds.push(id);
      }
      if (sounds) enterSound(word, id);
      return id;
    },
    finish() {
      const table = keyTable(keys, keyIds);
      return {
        words,
        exact: (word) => idOf.get(word),
        similar: (word) => similarWords(word, words, idOf, table, bySound),
      };
    },
  };
}

function similarWords(
  word: string,
  words: readonly string[],
  idOf: ReadonlyMap<string, number>,
  table: KeyTable,
  bySound: ReadonlyMap<string, readonly number[]>,
): number[] {
  const found = new Set<number>(bySound.get(soundKey(word)) ?? []);
  const exact = idOf.get(word);
  if (exact !== undefined) found.add(exact);
  if (word.length >= editedLengthMin) {
    const seen = new Set<number>(found);
    for (const key of deletionKeys(word)) {
      table.forEach(key, (id) => {
        if (seen.has(id)) return;
        seen.add(id);
        if (editDistance(word, words[id] ?? "", 1) <= 1) found.add(id);
      });
    }
  }
  return [...found];
}
