import type { ListedName } from "../entry.ts";
import { nameTokens } from "../tokens/tokenizer.ts";
import type { ListedEntry, Query } from "./query-set.ts";

/** Runs a function and returns its value, with elapsed and CPU time in milliseconds. */
export function timed<T>(run: () => T): { value: T; ms: number; cpuMs: number } {
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  const value = run();
  const ms = performance.now() - started;
  const { user, system } = process.threadCpuUsage(cpu);
  return { value, ms, cpuMs: (user + system) / 1000 };
}

/** Returns a quantile: a `share` of the values, in [0, 1], are below it. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Percentiles of elapsed and CPU time in milliseconds. */
export function speedOf(times: readonly { readonly ms: number; readonly cpuMs: number }[]) {
  const wall = times.map(({ ms }) => ms);
  const cpu = times.map(({ cpuMs }) => cpuMs);
  return {
    p50: quantile(wall, 0.5),
    p95: quantile(wall, 0.95),
    p99: quantile(wall, 0.99),
    cpuP50: quantile(cpu, 0.5),
    cpuP95: quantile(cpu, 0.95),
    cpuP99: quantile(cpu, 0.99),
  };
}

/**
 * Builds `count` entries of the same vocabulary. Each has the shape of a real entry, and each word
 * of its names is from a name of the same type. Equal entries and seed give equal results.
 */
export function syntheticEntries(
  entries: readonly ListedEntry[],
  count: number,
  seed: number,
): ListedEntry[] {
  const random = randomNumbers(seed);
  const words = new Map<string, string[]>();
  for (const { type, names } of entries) {
    const known = words.get(type) ?? [];
    words.set(type, known);
    for (const { name } of names) known.push(...name.split(/\s+/));
  }
  const renamed = (type: string, { name, kind }: ListedName): ListedName => {
    const known = words.get(type) ?? [];
    const other = name.split(/\s+/).map(() => known[Math.floor(random() * known.length)] ?? "");
    return { name: other.join(" "), kind };
  };
  return Array.from({ length: count }, (_, at) => {
    const shape = entries[Math.floor(random() * entries.length)];
    if (shape === undefined) throw new Error("the list has no entry to use as a template");
    const names = shape.names.map((listed) => renamed(shape.type, listed));
    return { ...shape, uid: `synthetic:${at}`, names, documents: [] };
  });
}

/** Mulberry32: numbers in [0, 1), the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The baseline matcher. Returns the best Jaro-Winkler score of a query's name against all names,
 * both with sorted tokens.
 */
export function baselineScan(entries: readonly ListedEntry[]): (query: Query) => number {
  const names = entries.flatMap(({ type, names: listed }) =>
    listed.map(({ name }) => ({ type, name: sortedTokens(name) })),
  );
  return ({ party }) => {
    const name = sortedTokens(party.name);
    let best = 0;
    for (const listed of names) {
      if (listed.type === party.type) best = Math.max(best, jaroWinkler(name, listed.name));
    }
    return best;
  };
}

const sortedTokens = (name: string): string => nameTokens(name, false).sort().join(" ");

const prefixMax = 4;
const prefixShare = 0.1;

/** Jaro-Winkler similarity of two texts, in [0, 1]; prefix and scale as in Winkler (1990). */
function jaroWinkler(a: string, b: string): number {
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
