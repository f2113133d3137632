import type { Alignment, Link } from "../alignment/alignment.ts";
import { oncePerToken, type Similarities, type Token } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import { joinedWords } from "../tokens/joined-words.ts";
import { tokenKind } from "../tokens/token-kinds.ts";

/*
 * The rule of containment: a party whose name has every word of a listed name is in review,
 * regardless of its other words. The rule decides the verdict and leaves the score.
 */

/** The words of a listed name that a party's name contains, and the sum of their rarities. */
export type Containment = { readonly words: readonly string[]; readonly rarity: number };

type IndexedBy = { readonly config: MatcherConfig; readonly isPerson: boolean };
type Word = Pick<Token, "text" | "kind" | "canonical" | "rarity">;

/**
 * Forms of `Abdul` alone (`HADI, Abdul`). They are half of a compound name and not counted as a
 * word. `Abdo` is a name of its own.
 */
const halfOfName = /^abd(?:[aeou]?l)?$/;

/** Returns each word of a name once, because a repeated one adds no information. */
function distinctWords<T extends Word>(tokens: readonly T[]): T[] {
  const known = new Set<string>();
  return tokens.filter(({ text, kind, canonical }) => {
    if ((kind !== "name" && kind !== "trade") || known.has(canonical)) return false;
    if (halfOfName.test(text)) return false;
    known.add(canonical);
    return true;
  });
}

/**
 * Returns a factor in [0, 1] for the rarity of a short word. Unrelated people share syllables of
 * Chinese and Korean names more often than the lists show.
 */
export function shortWordFactor({ text }: Word, { containment }: MatcherConfig): number {
  return Math.min(1, text.length / containment.wholeWord);
}

function rarityOf(word: Word, config: MatcherConfig): number {
  return word.rarity * shortWordFactor(word, config);
}

/**
 * Returns the rarest word of a listed name, under which the name is indexed. Returns `undefined`
 * for names that are not searched within other names: a person's single word, a company's single
 * word that is also a person's name, and names of common words only.
 */
export function rarestWord<T extends Word>(
  tokens: readonly T[],
  isPersonsWord: ((canonical: string) => boolean) | undefined,
  { config, isPerson }: IndexedBy,
): T | undefined {
  const words = distinctWords(tokens);
  const { wordsMin, rarityMin } = config.containment;
  if (words.length < wordsMin) {
    const [word] = words;
    const isOfCompany = word?.kind === "name" && isPersonsWord?.(word.canonical) === false;
    return isOfCompany ? word : undefined;
  }
  const rarity = words.reduce((sum, word) => sum + rarityOf(word, config), 0);
  if (rarity < rarityMin) return undefined;
  // Skips a word that is a title by itself but a name in this context, because a longer name is not
  // searched by that word.
  const searched = words.filter(({ text, kind }) => tokenKind(text, isPerson) === kind);
  return (searched.length > 0 ? searched : words).reduce((rarest, word) =>
    word.rarity > rarest.rarity ? word : rarest,
  );
}

/**
 * Checks if a party's name contains a listed name. Each word of the listed name must nearly equal a
 * different word of the party's name. At least two words must match, and the sum of their rarities
 * must reach the minimum. Returns the words, or `undefined`.
 */
export function containmentOf(
  { links }: Alignment,
  party: readonly Token[],
  entry: readonly Token[],
  config: MatcherConfig,
): Containment | undefined {
  const { containment } = config;
  const { rarityMin, wordsMin } = containment;
  const words = distinctWords(entry);
  const found = links.filter((link) => isNearlyEqual(link, party, entry, config));
  let rarity = 0;
  for (const word of words) {
    const similarities = found.map((link) => (isIn(link, word, entry) ? link.similarity : 0));
    const most = Math.max(0, ...similarities);
    if (most === 0) return undefined;
    rarity += rarityOf(word, config) * most ** containment.sharpness;
  }
  const contained = { words: words.map(({ text }) => text), rarity };
  if (words.length < wordsMin) return isOfOneWord(party, entry) ? contained : undefined;
  if (rarity < rarityMin) return undefined;
  const isNamed = words.some(({ kind }) => kind === "name");
  return isNamed || isInRow(found, words.length, config) ? contained : undefined;
}

/**
 * Returns a quick check, far cheaper than an alignment: may a party's name contain a listed name?
 * Each listed word must nearly equal a word of the party, or two adjacent words joined. Two
 * adjacent listed words may also equal words that the party joins or splits elsewhere.
 */
export function containmentFilter(
  party: readonly Token[],
  similarities: Similarities,
  { containment }: MatcherConfig,
): (entry: readonly Token[]) => boolean {
  const split = spellingsOf(joinedWords(party));
  const whole = split.union(spellingsOf(party));
  const isFound = oncePerToken(
    (word) =>
      (word.kind !== "name" && word.kind !== "trade") ||
      split.has(word.canonical) ||
      split.has(word.text) ||
      similarities(word).some((alike) => alike >= containment.similarityMin),
  );
  return (entry) => {
    if (entry.every(isFound)) return true;
    const inOne = joinedWords(entry).filter(
      ({ canonical, text }) => whole.has(canonical) || whole.has(text),
    );
    const isInOne = (at: number): boolean =>
      inOne.some(({ first, second }) => first === at || second === at);
    return inOne.length > 0 && entry.every((word, at) => isInOne(at) || isFound(word));
  };
}

function spellingsOf(words: readonly Pick<Word, "text" | "canonical">[]): Set<string> {
  return new Set(words.flatMap(({ text, canonical }) => [text, canonical]));
}

/** True if a link includes the word, or another word with the same canonical spelling. */
function isIn({ entry: bits }: Link, { canonical }: Token, entry: readonly Token[]): boolean {
  return entry.some((token, at) => token.canonical === canonical && (bits & (1 << at)) !== 0);
}

const isOneToken = (bits: number): boolean => (bits & (bits - 1)) === 0;

/**
 * True if linked words are nearly equal. Short words and joined words must have equal canonical
 * spellings.
 */
function isNearlyEqual(
  link: Link,
  party: readonly Token[],
  entry: readonly Token[],
  config: MatcherConfig,
): boolean {
  const words = entry.filter((_, at) => (link.entry & (1 << at)) !== 0);
  const length = words.reduce((sum, { text }) => sum + text.length, 0);
  const isSingle = isOneToken(link.party) && words.length === 1;
  if (!isSingle) {
    const isWhole = isOneToken(link.party) && words.length === distinctWords(entry).length;
    const { joinedLengthMin, joinedWholeMin } = config.containment;
    if (length < (isWhole ? joinedWholeMin : joinedLengthMin)) return false;
    if (isOneToken(link.party) && isTradeForNames(link, party, words)) return false;
  }
  return isAlike(link.similarity, isSingle ? length : 0, config);
}

/** True if words are nearly equal. `letters` is the length of a single listed word, else 0. */
export function isAlike(
  similarity: number,
  letters: number,
  { containment }: MatcherConfig,
): boolean {
  const { longWord, similarityMin, canonical } = containment;
  return similarity >= (letters >= longWord ? similarityMin : canonical);
}

/**
 * True if a trade word of the party matches names of the list, for example if the list writes a
 * city as two words (`Shen Zhen`).
 */
function isTradeForNames(link: Link, party: readonly Token[], words: readonly Token[]): boolean {
  const joined = party.find((_, at) => link.party === 1 << at);
  return joined?.kind !== "name" && words.some(({ kind }) => kind === "name");
}

/**
 * True if the matched words are adjacent. Trade words alone count as a name only if several are
 * adjacent (`Star Ship Management`).
 */
function isInRow(links: readonly Link[], count: number, { containment }: MatcherConfig): boolean {
  const bits = links.reduce((all, link) => all | link.party, 0);
  const lowest = bits & -bits;
  return isOneToken(bits + lowest) && count > containment.wordsMin;
}

/**
 * True if the listed company has only one word besides its legal form, and the party has the same
 * word as its only name.
 */
function isOfOneWord(party: readonly Token[], entry: readonly Token[]): boolean {
  const names = party.filter(({ kind }) => kind === "name");
  const [word, ...more] = entry.filter(({ kind }) => kind !== "legal");
  return more.length === 0 && names.length === 1 && names[0]?.text === word?.text;
}
