import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ListEntry } from "../domain/list-entry.ts";
import { parseListLine } from "../formats/list-line.ts";
import type { Matcher, Party, PartyHit } from "../domain/matcher.ts";

/** Public lists and labelled queries that stand beside the project, where they are there at all. */
const folder = join(import.meta.dirname, "../../../../../shared/data/sanctions");

/** Whether the query set is on this machine; what needs it says that it skips. */
export const hasQuerySet = existsSync(join(folder, "dev.jsonl"));

/** The list that the queries are asked of, as `ImportList` takes it. */
export function querySetLines(): Buffer {
  return gunzipSync(readFileSync(join(folder, "index_dev.jsonl.gz")));
}

export function querySetEntries(): ListEntry[] {
  return querySetLines()
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const entry = parseListLine(line);
      if ("problem" in entry) throw new Error(entry.problem);
      return entry;
    });
}

/** A labelled query: `expected` is the uid that must be found, null where nobody must be. */
export type Query = {
  readonly kind: string;
  readonly query: {
    readonly name?: string;
    readonly first?: string;
    readonly last?: string;
    readonly type: "individual" | "corporate";
    readonly dob?: string;
    readonly country?: string;
  };
  readonly expected: string | null;
  readonly accept?: readonly string[];
};

export function queries(): Query[] {
  const lines = readFileSync(join(folder, "dev.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Query);
}

export function partyOf({ query }: Query): Party {
  return {
    type: query.type === "individual" ? "individual" : "entity",
    name: query.name ?? `${query.first} ${query.last}`,
    date: query.dob ?? "",
    countries: query.country === undefined ? [] : [query.country],
    documents: [],
  };
}

/** What the matcher answered to a query, and how long it took. */
export type Answer = {
  readonly query: Query;
  readonly hits: readonly PartyHit[];
  readonly ms: number;
};

export function ask(matcher: Matcher, some: readonly Query[]): Answer[] {
  return some.map((query) => {
    const started = performance.now();
    const hits = matcher.match(partyOf(query));
    return { query, hits, ms: performance.now() - started };
  });
}

/** The best score of a hit that is right; 0 where it was not found. */
export function rightScore({ query, hits }: Answer): number {
  const right = new Set([query.expected, ...(query.accept ?? [])]);
  return Math.max(0, ...hits.filter((hit) => right.has(hit.entry.uid)).map((hit) => hit.score));
}

const topScore = ({ hits }: Answer): number => hits[0]?.score ?? 0;
export const isPositive = ({ query }: Answer): boolean => query.expected !== null;
export const isNegative = ({ query }: Answer): boolean => query.kind.startsWith("neg_");

/** The score at which at most this share of the negatives alerts, and the recall there. */
export function recallAt(
  answers: readonly Answer[],
  falsePositiveRate: number,
): { threshold: number; recall: number } {
  const negatives = answers
    .filter(isNegative)
    .map(topScore)
    .sort((a, b) => b - a);
  const threshold = negatives[Math.floor(negatives.length * falsePositiveRate)] ?? 0;
  const positives = answers.filter(isPositive);
  const found = positives.filter((answer) => rightScore(answer) > threshold);
  return { threshold, recall: found.length / positives.length };
}

/** The value that `share` of the sorted values are below. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
