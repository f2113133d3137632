import { type Alignment, align } from "./alignment.ts";
import type { MatcherConfig } from "./matcher-config.ts";
import { joinedLengthMax, nameTokens } from "./name-tokens.ts";
import { shortForm, wordKind } from "./name-words.ts";
import type { Rows } from "./rows.ts";
import { soundKey } from "./spelling.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { type Word, wordSimilarity } from "./word-similarity.ts";

/** The names of entries of one type, laid out to be searched; made by `name-index.ts`. */
export type ListedNames = {
  readonly vocabulary: Vocabulary;
  /** Names by word: single words and joined neighbours alike. */
  readonly postings: Rows;
  /** The words of each name, by their ids. */
  readonly wordsOf: readonly (readonly number[])[];
  /** Each name's entry, and which of the entry's names it is. */
  readonly entryOf: readonly number[];
  readonly nameAtOf: readonly number[];
  readonly isPerson: boolean;
  readonly config: MatcherConfig;
  /** Words by id, weighed when first asked for. */
  readonly weighed: Word[];
  /** Credit of each name in the search that runs; all zero between two. */
  readonly board: Float32Array;
};

export type NameMatch = {
  /** Which of the entry's names. */
  readonly nameAt: number;
  readonly alignment: Alignment;
  readonly party: readonly Word[];
  readonly entry: readonly Word[];
};

/**
 * The best alignment of each entry that shares enough with a name, keyed by the entry's place.
 * Gathers, over postings of the words that are like the party's, the names with the most weight in
 * common, and aligns only those in full.
 */
export function searchNames(name: string, listed: ListedNames): Map<number, NameMatch> {
  const tokens = nameTokens(name, listed.isPerson);
  const party = tokens.map((token) => weigh(token, listed.vocabulary.exact(token), listed));
  const similarity = rememberedSimilarity(listed.config);
  const best = new Map<number, NameMatch>();
  for (const at of candidates(party, listed)) {
    const entry = (listed.wordsOf[at] ?? []).map((id) => listedWord(id, listed));
    const alignment = align(party, entry, similarity, listed.config);
    const entryAt = listed.entryOf[at] ?? 0;
    const before = best.get(entryAt);
    if (before === undefined || alignment.score > before.alignment.score) {
      best.set(entryAt, { nameAt: listed.nameAtOf[at] ?? 0, alignment, party, entry });
    }
  }
  return best;
}

/** A word's weight: by its kind, else by how rare it is among the listed names. */
function weigh(token: string, id: number | undefined, listed: ListedNames): Word {
  const { config, isPerson, postings, wordsOf } = listed;
  const kind = wordKind(token, isPerson);
  const sound = kind === "legal" ? shortForm(token) : soundKey(token);
  if (kind !== "name" && kind !== "trade") {
    const weight = config.words[kind];
    return { text: token, kind, weight, missed: weight, apart: weight, sound };
  }
  const count = id === undefined ? 0 : postings.row(id).length;
  const names = Math.max(wordsOf.length, config.words.namesMin);
  const rarity = Math.max(0, Math.log(names / (count + 1)) / Math.log(names));
  const apart = config.words.commonest + (1 - config.words.commonest) * rarity;
  const weight = kind === "trade" ? Math.min(apart, config.words.trade) : apart;
  const missed = kind === "name" && !isPerson ? weight * config.words.companyMissed : weight;
  return { text: token, kind, weight, missed, apart, sound };
}

function listedWord(id: number, listed: ListedNames): Word {
  const known = listed.weighed[id];
  if (known !== undefined) return known;
  const word = weigh(listed.vocabulary.words[id] ?? "", id, listed);
  listed.weighed[id] = word;
  return word;
}

function rememberedSimilarity(config: MatcherConfig): (party: Word, entry: Word) => number {
  const rows = new Map<Word, Map<Word, number>>();
  return (party, entry) => {
    let row = rows.get(party);
    if (row === undefined) {
      row = new Map();
      rows.set(party, row);
    }
    let alike = row.get(entry);
    if (alike === undefined) {
      alike = wordSimilarity(party, entry, config);
      row.set(entry, alike);
    }
    return alike;
  };
}

/** Words to search by: all of a name but the light ones, or all where it has no others. */
function telling(party: readonly Word[]): readonly Word[] {
  const some = party.filter((word) => word.kind === "name" || word.kind === "trade");
  return some.length > 0 ? some : party;
}

/** What a word counts in the search that is only like the party's. */
const inexactShare = 0.7;

/** The names that share the most weight with the party's words, at most `candidatesMax`. */
function candidates(party: readonly Word[], listed: ListedNames): number[] {
  const { board, postings, vocabulary } = listed;
  const touched: number[] = [];
  const credit = (word: string, weight: number): void => {
    for (const id of vocabulary.similar(word)) {
      const share = vocabulary.words[id] === word ? weight : weight * inexactShare;
      for (const name of postings.row(id)) {
        const before = board[name] ?? 0;
        if (before === 0) touched.push(name);
        board[name] = before + share;
      }
    }
  };
  for (const word of telling(party)) credit(word.text, word.weight);
  for (const [at, word] of party.entries()) {
    const next = party[(at + 1) % party.length];
    if (next === undefined || next === word) continue;
    const joined = word.text + next.text;
    if (joined.length <= joinedLengthMax) credit(joined, Math.max(word.weight, next.weight));
  }
  const most = highest(touched, board, listed.config.candidatesMax);
  for (const name of touched) board[name] = 0;
  return most;
}

/** The `count` names with the most credit. */
function highest(touched: readonly number[], board: Float32Array, count: number): number[] {
  if (touched.length <= count) return [...touched];
  const credits = Float32Array.from(touched, (name) => board[name] ?? 0).sort();
  const least = credits[credits.length - count] ?? 0;
  const above = touched.filter((name) => (board[name] ?? 0) > least);
  const level = touched.filter((name) => board[name] === least);
  return [...above, ...level.slice(0, count - above.length)];
}
