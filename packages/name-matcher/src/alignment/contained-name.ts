import type { Alignment } from "./alignment.ts";
import type { Word } from "./word-similarity.ts";

/** A name of fewer telling words stands in those of many who have nothing to do with it. */
const tellingMin = 2;

/**
 * Whether all of a listed company's name, but for its legal form, stands in a row in the party's:
 * a branch or a department (`Bank Melli Iran, London Branch`), or it beside another name. What else
 * the party is called makes it no stranger.
 */
export function isContained(
  { links }: Alignment,
  party: readonly Word[],
  entry: readonly Word[],
): boolean {
  if (party.length <= entry.length - entry.filter(isLegal).length) return false;
  const placeOf = new Map<number, number>();
  for (const link of links) {
    const [ours, theirs] = [placeIn(link.party), placeIn(link.entry)];
    const same = party[ours]?.text === entry[theirs]?.text;
    if (same && link.party === 1 << ours && link.entry === 1 << theirs) placeOf.set(theirs, ours);
  }
  let next: number | undefined;
  let telling = 0;
  let naming = 0;
  for (const [at, word] of entry.entries()) {
    if (isLegal(word)) continue;
    const place = placeOf.get(at);
    if (place === undefined || (next !== undefined && place !== next)) return false;
    next = place + 1;
    if (word.kind === "name") naming += 1;
    if (word.kind === "name" || word.kind === "trade") telling += 1;
  }
  return telling >= tellingMin && naming > 0;
}

const isLegal = ({ kind }: Word): boolean => kind === "legal";
/** The place of a set's first word; of one with more words it is not asked. */
const placeIn = (bits: number): number => 31 - Math.clz32(bits & -bits);
