import type { EntryType, NamedEntry } from "./entry.ts";
import { documentKey } from "./evidence.ts";
import { confusedTypes, type Party } from "./matcher.ts";
import { canonicalSpelling, consonantSkeleton, joinSpellings } from "./name/canonical-spelling.ts";
import { neighbours, partsOfJoined } from "./name/neighbours.ts";
import { listedReadings, type NameReading, nameReadings } from "./name/readings.ts";
import { squashedKey, squashedKeys } from "./name/squashed.ts";
import { tellingPlaces, wordKinds } from "./name/words.ts";
import {
  forEachSearchHash,
  forEachWordHash,
  hashShare,
  hashWord,
  wholeKey,
} from "./search/keys.ts";

/**
 * The search of the matcher turned round: whoever would be found for a party shares a key with it.
 * So those whom a changed entry may concern are found among thousands of subjects by equal keys.
 * Another version: subjects are given new keys, by a whole rescreening of each.
 */
export const reverseKeysVersion = "5";

/** Keys of a party, some of them more than once. */
export function* partyKeys({ type, name, documents }: Party): Generator<string> {
  for (const reading of nameReadings(name, type === "individual"))
    yield* readingKeys(type, reading);
  const other = confusedTypes.get(type);
  if (other !== undefined) {
    for (const { tokens } of nameReadings(name, other === "individual")) {
      yield wholeNameKey(other, tokens);
    }
  }
  for (const { number } of documents) yield* documentKeys(number);
}

/** Of a name of the very same words; see `wholeKey`. */
function wholeNameKey(type: EntryType, tokens: readonly string[]): string {
  const shares = tokens.map((token) => {
    const canonical = canonicalSpelling(token);
    return hashShare(canonical, consonantSkeleton(canonical));
  });
  return `whole ${type} ${wholeKey(wordKinds(tokens, type === "individual"), shares) >>> 0}`;
}

function* readingKeys(type: EntryType, { tokens, squashed }: NameReading): Generator<string> {
  const { canonical, joined } = spelt(tokens);
  const telling = tellingPlaces(tokens, type === "individual");
  for (const at of telling) yield* wordKeys(type, tokens[at] ?? "", canonical[at] ?? "");
  for (const pair of joined) yield* wordKeys(type, pair.text, pair.canonical);
  for (const part of tokens.flatMap(partsOfJoined)) yield wordKey(type, hashWord(part));
  const whole = squashedKey(squashed);
  if (whole !== undefined) yield nameKey(type, whole);
}

/** Keys of an entry, each once. */
export function entryKeys(entry: NamedEntry): Set<string> {
  const keys = new Set<string>();
  const add = (some: Iterable<string>): void => {
    for (const key of some) keys.add(key);
  };
  const isPerson = entry.type === "individual";
  for (const tokens of entry.names.flatMap(({ name }) => listedReadings(name, isPerson))) {
    const { canonical, joined } = spelt(tokens);
    const kinds = wordKinds(tokens, isPerson);
    keys.add(wholeNameKey(entry.type, tokens));
    for (const key of squashedKeys(canonical, kinds)) keys.add(nameKey(entry.type, key));
    for (const [at, token] of tokens.entries()) {
      add(wordKeys(entry.type, token, canonical[at] ?? ""));
    }
    for (const pair of joined) {
      keys.add(wordKey(entry.type, hashWord(pair.text)));
      keys.add(wordKey(entry.type, hashWord(pair.canonical)));
    }
  }
  for (const { number } of entry.documents) add(documentKeys(number));
  return keys;
}

/** Hashes without a sign, as they have always been kept. */
const wordKey = (type: EntryType, hash: number): string => `word ${type} ${hash >>> 0}`;
const nameKey = (type: EntryType, hash: number): string => `name ${type} ${hash >>> 0}`;

function* documentKeys(number: string): Generator<string> {
  const key = documentKey(number);
  if (key !== "") yield `document ${key}`;
}

function spelt(tokens: readonly string[]) {
  const canonical = tokens.map(canonicalSpelling);
  const joined = neighbours(tokens.map((text) => ({ text }))).map(([first, second]) => ({
    text: `${tokens[first]}${tokens[second]}`,
    canonical: joinSpellings(canonical[first] ?? "", canonical[second] ?? ""),
  }));
  return { canonical, joined };
}

function* wordKeys(type: EntryType, text: string, canonical: string): Generator<string> {
  const hashes: number[] = [];
  const keep = (hash: number): void => void hashes.push(hash);
  forEachSearchHash(canonical, keep);
  if (text !== canonical) forEachWordHash(text, keep);
  for (const hash of hashes) yield wordKey(type, hash);
}
