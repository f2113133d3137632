import type { EntryType, NamedEntry } from "./entry.ts";
import { documentKey } from "./evidence.ts";
import {
  concatenationKeys,
  consonantRingKey,
  forEachLetterKey,
  forEachSpellingKey,
  forEachTokenKey,
  hashSkeleton,
  hashToken,
  tokenSetKey,
} from "./index/hash-keys.ts";
import { confusedTypes, type Party } from "./matcher.ts";
import { canonicalSpelling, consonantSkeleton } from "./tokens/canonical-spelling.ts";
import { joinedWords } from "./tokens/joined-words.ts";
import { listedNameVariants, type NameVariant, nameVariants } from "./tokens/name-variants.ts";
import { distinctivePositions, tokenKinds } from "./tokens/token-kinds.ts";
import { compoundParts } from "./tokens/tokenizer.ts";

/**
 * The version of the blocking keys. Every party and entry that the matcher can match share a key.
 * After a list update, only parties that share a key with a changed entry must be screened again.
 * Keys of different versions can't be compared. After a change of this version, compute the keys of
 * all parties again.
 */
export const blockingKeysVersion = "8";

/** Yields a party's blocking keys. A key may occur more than once. */
export function* partyBlockingKeys({ type, name, documents }: Party): Generator<string> {
  for (const variant of nameVariants(name, type === "individual").variants)
    yield* variantKeys(type, variant);
  const other = confusedTypes.get(type);
  if (other !== undefined) {
    for (const { tokens } of nameVariants(name, other === "individual").variants) {
      yield exactNameKey(other, tokens);
      yield* containmentKeys(other, tokens);
    }
  }
  yield* documentKeys(documents);
}

/** Returns each blocking key of an entry once. */
export function entryBlockingKeys({ type, names, documents }: NamedEntry): Set<string> {
  const keys = new Set<string>();
  const add = (some: Iterable<string>): void => {
    for (const key of some) keys.add(key);
  };
  const isPerson = type === "individual";
  for (const tokens of names.flatMap(({ name }) => listedNameVariants(name, isPerson))) {
    const words = spelledWords(tokens);
    const canonical = words.map((word) => word.canonical);
    keys.add(exactNameKey(type, tokens));
    for (const key of concatenationKeys(canonical, tokenKinds(tokens, isPerson))) {
      keys.add(nameKey(type, key));
    }
    for (const word of words) add(tokenKeys(type, word));
    for (const compound of joinedWords(words)) {
      keys.add(tokenKey(type, hashToken(compound.text)));
      keys.add(tokenKey(type, hashToken(compound.canonical)));
    }
  }
  add(documentKeys(documents));
  return keys;
}

/** The key of names with exactly the same tokens; see `tokenSetKey`. */
function exactNameKey(type: EntryType, tokens: readonly string[]): string {
  const hashes = tokens.map((token) => {
    const canonical = canonicalSpelling(token);
    return hashSkeleton(canonical, consonantSkeleton(canonical));
  });
  return `whole ${type} ${tokenSetKey(tokenKinds(tokens, type === "individual"), hashes) >>> 0}`;
}

function* variantKeys(type: EntryType, variant: NameVariant): Generator<string> {
  const { tokens, concatenated } = variant;
  const words = spelledWords(tokens);
  const distinctive = new Set(distinctivePositions(tokens, type === "individual"));
  for (const word of words.filter((_, at) => distinctive.has(at))) yield* tokenKeys(type, word);
  for (const pair of joinedWords(words)) yield* tokenKeys(type, pair);
  for (const part of tokens.flatMap(compoundParts)) yield tokenKey(type, hashToken(part));
  const whole = consonantRingKey([concatenated]);
  if (whole !== undefined) yield nameKey(type, whole);
}

/** Yields the keys of words by which the party's name may contain a listed name of another type. */
function* containmentKeys(type: EntryType, tokens: readonly string[]): Generator<string> {
  const words = spelledWords(tokens);
  for (const { text, canonical } of [...words, ...joinedWords(words)]) {
    const keys: string[] = [];
    forEachLetterKey(canonical, (hash) => void keys.push(tokenKey(type, hash)));
    yield* keys;
    if (text !== canonical) yield tokenKey(type, hashToken(text));
  }
}

function spelledWords(tokens: readonly string[]) {
  return tokens.map((text) => ({ text, canonical: canonicalSpelling(text) }));
}

// Stored keys have these prefixes and unsigned hashes.
const tokenKey = (type: EntryType, hash: number): string => `word ${type} ${hash >>> 0}`;
const nameKey = (type: EntryType, hash: number): string => `name ${type} ${hash >>> 0}`;

function documentKeys(documents: Party["documents"]): string[] {
  const keys = documents.map(({ number }) => documentKey(number));
  return keys.filter((key) => key !== "").map((key) => `document ${key}`);
}

function tokenKeys(
  type: EntryType,
  { text, canonical }: { readonly text: string; readonly canonical: string },
): string[] {
  const keys: string[] = [];
  const add = (hash: number): void => void keys.push(tokenKey(type, hash));
  forEachSpellingKey(canonical, add);
  if (text !== canonical) forEachTokenKey(text, add);
  return keys;
}
