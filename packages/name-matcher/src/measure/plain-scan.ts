import { nameTokens } from "../name/tokens.ts";
import type { ListedEntry, Query } from "./query-set.ts";

/** The usual comparison, to measure against: every name, its words sorted, by Jaro-Winkler. */
export function plainScan(entries: readonly ListedEntry[]): (query: Query) => number {
  const names = entries.flatMap(({ type, names: listed }) =>
    listed.map(({ name }) => ({ type, name: sortedWords(name) })),
  );
  return ({ party }) => {
    const asked = sortedWords(party.name);
    let best = 0;
    for (const { type, name } of names) {
      if (type === party.type) best = Math.max(best, jaroWinkler(asked, name));
    }
    return best;
  };
}

const sortedWords = (name: string): string => nameTokens(name, false).sort().join(" ");

const prefixMax = 4;
const prefixShare = 0.1;

/** Jaro-Winkler similarity of two texts, in [0, 1]. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const takenB = new Uint8Array(b.length);
  const matchedA: string[] = [];
  for (let i = 0; i < a.length; i += 1) {
    const last = Math.min(b.length - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= last; j += 1) {
      if (takenB[j] === 1 || a[i] !== b[j]) continue;
      takenB[j] = 1;
      matchedA.push(a[i] ?? "");
      break;
    }
  }
  const matches = matchedA.length;
  if (matches === 0) return 0;
  const matchedB = [...b].filter((_, at) => takenB[at] === 1);
  const moved = matchedA.filter((letter, at) => letter !== matchedB[at]).length / 2;
  const jaro = (matches / a.length + matches / b.length + (matches - moved) / matches) / 3;
  let prefix = 0;
  while (prefix < prefixMax && a[prefix] !== undefined && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * prefixShare * (1 - jaro);
}
