import type { Token } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import type { NamedEntry } from "../entry.ts";
import { consonantSkeleton } from "../tokens/canonical-spelling.ts";
import { listedNameVariants } from "../tokens/name-variants.ts";
import {
  allTokenKinds,
  personTokenKinds,
  type TokenKind,
  tokenKind,
} from "../tokens/token-kinds.ts";
import { adjacentPairs } from "../tokens/tokenizer.ts";
import { rarestWord } from "./containment.ts";
import { keyedNumbers, numberList, type Rows } from "./flat-tables.ts";
import {
  concatenationKeys,
  hashConcatenated,
  hashSkeleton,
  hashToken,
  tokenSetKey,
} from "./hash-keys.ts";
import {
  type ListedNames,
  type NameMatch,
  rarityOfCount,
  searchNames,
  searchOtherType,
} from "./search.ts";
import { vocabularyBuilder } from "./vocabulary.ts";

/** The names of all entries of one type, searchable by their tokens. */
export type NameIndex = {
  /** Returns the best match of each entry with a similar name. The key is the entry's position. */
  search(name: string): Map<number, NameMatch>;
  /** Searches for a party of another type; see `searchOtherType`. */
  searchOtherType(name: string): Map<number, NameMatch>;
  /** True if a listed name or trade word has this canonical spelling. */
  hasWord(canonical: string): boolean;
};

/** Builds an index of entries of one type. Entries are added one by one, with their positions. */
export function nameIndexBuilder(isPerson: boolean, config: MatcherConfig) {
  const { vocabulary, describe } = tokenDescriber(isPerson);
  const [postings, tokensOf, kindsOf] = [keyedNumbers(), keyedNumbers(), keyedNumbers()];
  const [compounds, tokenSets, concatenated] = [keyedNumbers(), keyedNumbers(), keyedNumbers()];
  const [entryOf, nameAtOf] = [numberList(), numberList()];
  const weightOf: number[] = [];
  const weak = new Set<number>();

  const addName = (tokens: readonly string[], at: number): void => {
    const name = describe(tokens);
    const { spellings, canonical, kinds } = name;
    for (const id of name.ids) tokensOf.add(at, id);
    for (const kind of kinds) kindsOf.add(at, allTokenKinds.indexOf(kind));
    for (let position = 0; position < spellings.length; position += 1) {
      const spelling = spellings[position] ?? 0;
      if (spellings.indexOf(spelling) === position) postings.add(spelling, at);
    }
    tokenSets.add(tokenSetKey(kinds, name.skeletonHashes), at);
    for (const key of concatenationKeys(canonical, kinds)) concatenated.add(key, at);
    for (const key of compoundKeys(tokens, name)) compounds.add(key, at);
  };
  return {
    add(entry: NamedEntry, entryAt: number): void {
      for (const [nameAt, { name, kind }] of entry.names.entries()) {
        for (const tokens of listedNameVariants(name, isPerson)) {
          addName(tokens, weightOf.length);
          entryOf.push(entryAt);
          nameAtOf.push(nameAt);
          if (kind === "weak") weak.add(weightOf.length);
          weightOf.push(kind === "weak" ? config.weakAlias : 1);
        }
      }
    },
    /** `isPersonsWord` is true for given and family names. Pass it for an index of companies. */
    finish(isPersonsWord?: (canonical: string) => boolean): NameIndex {
      const known = vocabulary.finish();
      const count = weightOf.length;
      const namesBySpelling = postings.rows(known.spellings.length);
      const names = {
        vocabulary: known,
        postings: namesBySpelling,
        entriesWith: Int32Array.from(known.spellings, (_, spelling) =>
          countEntries(namesBySpelling.row(spelling), entryOf),
        ),
        entries: countEntries(weightOf.keys(), entryOf),
        compounds: compounds.table(),
        tokenSets: tokenSets.table(),
        concatenated: concatenated.table(),
        tokensOf: tokensOf.rows(count),
        kindsOf: kindsOf.rows(count),
        entryOf: entryOf.values().slice(),
        nameAtOf: nameAtOf.values().slice(),
        weightOf: Float64Array.from(weightOf),
        isPerson,
        config,
        weighed: new Array<Token | undefined>(known.tokens.length * allTokenKinds.length),
        scores: new Float32Array(count),
      };
      const byRarest = rowsByRarest(names, weak, isPersonsWord);
      const isByRarest = new Uint8Array(count);
      for (const spelling of known.spellings.keys()) {
        for (const at of byRarest.row(spelling)) isByRarest[at] = 1;
      }
      const listed = { ...names, byRarest, isByRarest };
      return {
        search: (name) => searchNames(name, listed),
        searchOtherType: (name) => searchOtherType(name, listed),
        hasWord: (canonical) => known.spellingId(canonical) !== undefined,
      };
    },
  };
}

/** Counts the entries of names. The names are in their order, so one entry's names are adjacent. */
function countEntries(names: Iterable<number>, entryOf: { at(index: number): number }): number {
  let [count, last] = [0, -1];
  for (const name of names) {
    const entry = entryOf.at(name);
    if (entry !== last) count += 1;
    last = entry;
  }
  return count;
}

/** Indexes names by their rarest word, without weak aliases; see `rarestWord`. */
function rowsByRarest(
  listed: Omit<ListedNames, "byRarest" | "isByRarest">,
  weak: ReadonlySet<number>,
  isPersonsWord: ((canonical: string) => boolean) | undefined,
): Rows {
  const { vocabulary, postings, tokensOf, kindsOf, entryOf, config } = listed;
  const { tokens, spellings, spellingOf } = vocabulary;
  const rarities = Float32Array.from(spellings, (_, spelling) =>
    rarityOfCount(postings.lengthOf(spelling), entryOf.length, config),
  );
  const byRarest = keyedNumbers();
  for (const at of entryOf.keys()) {
    if (weak.has(at)) continue;
    const kinds = kindsOf.row(at);
    const words = Array.from(tokensOf.row(at), (id, position) => {
      const spelling = spellingOf[id] ?? 0;
      return {
        text: tokens[id] ?? "",
        kind: allTokenKinds[kinds[position] ?? 0] ?? "name",
        canonical: spellings[spelling] ?? "",
        rarity: rarities[spelling] ?? 0,
        spelling,
      };
    });
    const rarest = rarestWord(words, isPersonsWord, listed);
    if (rarest !== undefined) byRarest.add(rarest.spelling, at);
  }
  return byRarest.rows(spellings.length);
}

/**
 * The indexed data of a listed name. Each array has one item per token; tokens and spellings are
 * ids of the vocabulary.
 */
type DescribedName = ReturnType<ReturnType<typeof tokenDescriber>["describe"]>;

/** Adds tokens to a vocabulary, and derives data from each token only once. */
function tokenDescriber(isPerson: boolean) {
  const vocabulary = vocabularyBuilder();
  const kindOf: TokenKind[] = [];
  const [tokenHashOf, spellingHashOf, skeletonHashOf] = [numberList(), numberList(), numberList()];
  let spellingCount = 0;

  const describe = (tokens: readonly string[]) => {
    const own: TokenKind[] = [];
    const [ids, spellings, canonical]: [number[], number[], string[]] = [[], [], []];
    const tokenHashes: number[] = [];
    const spellingHashes: number[] = [];
    const skeletonHashes: number[] = [];
    for (const token of tokens) {
      const id = vocabulary.add(token);
      if (id === kindOf.length) {
        kindOf.push(tokenKind(token, isPerson));
        tokenHashOf.push(hashToken(token));
      }
      const spelling = vocabulary.spellingOf(id);
      const text = vocabulary.spelling(spelling);
      if (spelling === spellingCount) {
        spellingHashOf.push(hashToken(text));
        skeletonHashOf.push(hashSkeleton(text, consonantSkeleton(text)));
        spellingCount += 1;
      }
      own.push(kindOf[id] ?? "name");
      ids.push(id);
      spellings.push(spelling);
      canonical.push(text);
      tokenHashes.push(tokenHashOf.at(id));
      spellingHashes.push(spellingHashOf.at(spelling));
      skeletonHashes.push(skeletonHashOf.at(spelling));
    }
    const kinds = isPerson ? personTokenKinds(tokens, own) : own;
    return { kinds, ids, spellings, canonical, tokenHashes, spellingHashes, skeletonHashes };
  };
  return { vocabulary, describe };
}

/**
 * Returns the keys of each pair of adjacent tokens, joined as written and by canonical spelling.
 */
function compoundKeys(tokens: readonly string[], name: DescribedName): number[] {
  const { kinds, tokenHashes, canonical, spellingHashes } = name;
  const keys: number[] = [];
  for (const [first, second] of adjacentPairs(tokens, (token) => token)) {
    if (kinds[first] === "legal" && kinds[second] === "legal") continue;
    const asWritten = hashToken(tokens[second] ?? "", 0, tokenHashes[first]);
    const [head = "", tail = ""] = [canonical[first], canonical[second]];
    const asSpelled = hashConcatenated(head, spellingHashes[first] ?? 0, tail);
    keys.push(asWritten);
    if (asSpelled !== asWritten) keys.push(asSpelled);
  }
  return keys;
}
