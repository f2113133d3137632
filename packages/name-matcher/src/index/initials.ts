import type { Similarities, Token } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import { canonicalSpelling } from "../tokens/canonical-spelling.ts";
import { isAlike, shortWordFactor } from "./containment.ts";

/*
 * The rule of initials: a party that writes a listed person's family name in full and other words
 * as initials (`S. P. Zembling`, `Zembling S.P.`) is in review. The rule decides the verdict and
 * leaves the score.
 */

/** The words and the initials of a party's name that a listed name has too. */
export type InitialsMatch = {
  readonly words: readonly string[];
  /** Each initial with the listed word that it begins. */
  readonly initials: readonly Initial[];
  /** The sum of the words' rarities, plus a share for each initial. */
  readonly rarity: number;
};
type Initial = { readonly initial: string; readonly word: string };

/** Initials in Latin script of single letters of other scripts: `Yu.`, `Zh.`. */
const digraphs = new Set("ya ye yo yu zh kh ts tz ch sh sch shch dzh".split(" "));
/** A name with more initials is a word with spaces between its letters. */
const initialsMax = 4;
/** Two letters without a space may be two initials, so a family name has more. */
const wordLengthMin = 3;

/** Returns the possible initials of a token. `sp` may be two, and `yu` one or two. */
function readingsOf({ text }: Token): readonly (readonly string[])[] {
  const one = text.length === 1 || digraphs.has(text) ? [[text]] : [];
  return text.length === 2 ? [...one, [...text]] : one;
}

/** Returns a quick check, so that only parties with initials pay for the rule. */
export function mayHaveInitials(party: readonly Token[]): boolean {
  return party.length > 1 && party.some((token) => readingsOf(token).length > 0);
}

/** The data that the rule compares a listed name by. */
type Compared = {
  readonly similarities: Similarities;
  /** Returns the rarity of a word among the listed persons, in [0, 1]. */
  readonly rarityOf: (word: Token) => number;
  readonly config: MatcherConfig;
};

/**
 * Checks if a party's name is a listed name with initials. Each of its words must nearly equal a
 * listed word, and each initial must begin another word, in the order of the list. The words must
 * be rare enough together with the initials. Titles and particles don't count, except if nothing
 * else can be the initials (`II Zembling`).
 */
export function initialsOf(
  party: readonly Token[],
  entry: readonly Token[],
  { similarities, rarityOf, config }: Compared,
): InitialsMatch | undefined {
  let [ours, theirs, rarity] = [0, 0, 0];
  for (const [at, word] of entry.entries()) {
    if (word.kind !== "name" || word.text.length < wordLengthMin) continue;
    const alike = similarities(word);
    const found = alike.findIndex(
      (each, on) => (ours & (1 << on)) === 0 && isAlike(each, word.text.length, config),
    );
    if (found === -1) continue;
    ours |= 1 << found;
    theirs |= 1 << at;
    const weight = (alike[found] ?? 0) ** config.containment.sharpness;
    rarity += rarityOf(word) * shortWordFactor(word, config) * weight;
  }
  if (ours === 0) return undefined;
  const others = party.filter((_, at) => (ours & (1 << at)) === 0);
  const sure = others.filter(({ kind }) => kind === "initial" || kind === "name");
  const written = sure.length > 0 ? sure : others;
  if (written.length > initialsMax) return undefined;
  const initials = assigned(written.map(readingsOf), entry, theirs);
  if (initials === undefined || initials.length === 0) return undefined;
  rarity += initials.length * config.initials.share;
  if (rarity < config.initials.rarityMin) return undefined;
  const words = entry.filter((_, at) => (theirs & (1 << at)) !== 0).map(({ text }) => text);
  return { words, initials, rarity };
}

/**
 * Assigns each initial to a listed word that it begins and that `taken`, a bit set of positions,
 * does not have. Returns `undefined` if an initial begins none.
 */
function assigned(
  [readings, ...more]: readonly (readonly (readonly string[])[])[],
  entry: readonly Token[],
  taken: number,
): Initial[] | undefined {
  if (readings === undefined) return [];
  for (const [initial, ...rest] of readings) {
    if (initial === undefined) continue;
    const remaining = rest.length > 0 ? [[rest], ...more] : more;
    for (const [at, word] of entry.entries()) {
      if ((taken & (1 << at)) !== 0 || !begins(initial, word)) continue;
      const upToHere = 2 ** (at + 1) - 1;
      const others = assigned(remaining, entry, taken | upToHere);
      if (others !== undefined) return [{ initial, word: word.text }, ...others];
    }
  }
  return undefined;
}

/** True for a first letter as written, or as another romanisation has it (`E.`, `Yevgeniy`). */
function begins(initial: string, { text, kind, canonical }: Token): boolean {
  if (kind !== "name" && kind !== "honorific") return false;
  return text.startsWith(initial) || canonical.startsWith(canonicalSpelling(initial));
}
