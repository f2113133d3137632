import type { Alignment, Link } from "../alignment/alignment.ts";
import { oncePerToken, type Similarities, type Token } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import { joinedWords } from "../tokens/joined-words.ts";
import { tokenKind } from "../tokens/token-kinds.ts";

/*
 * The rule of containment: a party that has every word of a listed name is in review, whatever else
 * its name has. It decides the verdict and leaves the score.
 */

/** The words of a listed name that a party's name contains, and how rare they are together. */
export type Containment = { readonly words: readonly string[]; readonly rarity: number };

type IndexedBy = { readonly config: MatcherConfig; readonly isPerson: boolean };
type Word = Pick<Token, "text" | "kind" | "canonical" | "rarity">;

/** Half of a name (`HADI, Abdul`), which is no word of its own; `Abdo` is a name. */
const halfOfName = /^abd(?:[aeou]?l)?$/;

/** The words of a name, each once: a repeated one says nothing more. */
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
 * The rarity of a word, less where it has few letters: syllables of Chinese and Korean names, which
 * strangers share more often than lists show.
 */
function rarityOf({ text, rarity }: Word, { containment }: MatcherConfig): number {
  return rarity * Math.min(1, text.length / containment.wholeWord);
}

/**
 * The word that a listed name is indexed by for this rule: its rarest, which fewest names share.
 * `undefined` for a name that the rule is not about: of common words, or of one word of a person or
 * that persons are called by.
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
  // A title that this name has for a name is no word that a longer name is searched by.
  const searched = words.filter(({ text, kind }) => tokenKind(text, isPerson) === kind);
  return (searched.length > 0 ? searched : words).reduce((rarest, word) =>
    word.rarity > rarest.rarity ? word : rarest,
  );
}

/**
 * What a party's name contains of a listed one: each word of it, nearly equal and in a word of its
 * own, two words or more, that are rare enough together. `undefined` where it does not.
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
 * Whether a party may contain a listed name, at a small part of what an alignment costs: each word
 * is nearly equal to one of the party's, or is two adjacent ones of them, or is with an adjacent one
 * what the party writes as one or parts elsewhere.
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

/** Whether a link has a word, or one of its canonical spelling. */
function isIn({ entry: bits }: Link, { canonical }: Token, entry: readonly Token[]): boolean {
  return entry.some((token, at) => token.canonical === canonical && (bits & (1 << at)) !== 0);
}

const isOneToken = (bits: number): boolean => (bits & (bits - 1)) === 0;

/** A short word, and two that are written as one, are equal by canonical spelling. */
function isNearlyEqual(
  link: Link,
  party: readonly Token[],
  entry: readonly Token[],
  { containment }: MatcherConfig,
): boolean {
  const words = entry.filter((_, at) => (link.entry & (1 << at)) !== 0);
  const length = words.reduce((sum, { text }) => sum + text.length, 0);
  const isSingle = isOneToken(link.party) && words.length === 1;
  if (!isSingle) {
    const isWhole = isOneToken(link.party) && words.length === distinctWords(entry).length;
    const { joinedLengthMin, joinedWholeMin } = containment;
    if (length < (isWhole ? joinedWholeMin : joinedLengthMin)) return false;
    if (isOneToken(link.party) && isTradeForNames(link, party, words)) return false;
  }
  const isLong = isSingle && length >= containment.longWord;
  return link.similarity >= (isLong ? containment.similarityMin : containment.canonical);
}

/** Whether a word of trade stands for names: a city that a list writes in two (`Shen Zhen`). */
function isTradeForNames(link: Link, party: readonly Token[], words: readonly Token[]): boolean {
  const joined = party.find((_, at) => link.party === 1 << at);
  return joined?.kind !== "name" && words.some(({ kind }) => kind === "name");
}

/** Words of trade alone are a name where they are several in a row (`Star Ship Management`). */
function isInRow(links: readonly Link[], count: number, { containment }: MatcherConfig): boolean {
  const bits = links.reduce((all, link) => all | link.party, 0);
  const lowest = bits & -bits;
  return isOneToken(bits + lowest) && count > containment.wordsMin;
}

/**
 * Whether a company's name of one word, but for its legal form, is the only one of a party's that
 * adds words of trade and legal forms; in equal letters.
 */
function isOfOneWord(party: readonly Token[], entry: readonly Token[]): boolean {
  const names = party.filter(({ kind }) => kind === "name");
  const [word, ...more] = entry.filter(({ kind }) => kind !== "legal");
  return more.length === 0 && names.length === 1 && names[0]?.text === word?.text;
}
