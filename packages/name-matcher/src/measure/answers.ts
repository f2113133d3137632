import { type MatcherConfig, matcherConfig } from "../config.ts";
import type { Matcher, PartyHit } from "../matcher.ts";
import type { ListedEntry, Query } from "./query-set.ts";

/** Low enough to see the scores of what is cleared; nothing else differs from what is in force. */
export const seeAll: MatcherConfig = {
  ...matcherConfig,
  bands: { review: 0.3, block: matcherConfig.bands.block },
};

/** The hits of a query, best first, and how long it took. */
export type Answer = {
  readonly query: Query;
  readonly hits: readonly PartyHit<ListedEntry>[];
  readonly ms: number;
  /** Of the processor alone: what else the machine does is not in it. */
  readonly cpuMs: number;
};

/** Matches the party of each query. */
export function ask(matcher: Matcher<ListedEntry>, queries: readonly Query[]): Answer[] {
  return queries.map((query) => {
    const { value: hits, ...times } = timed(() => matcher.match(query.party));
    return { query, hits, ...times };
  });
}

/** What a function returns, and the milliseconds that it took. */
export function timed<T>(run: () => T): { value: T; ms: number; cpuMs: number } {
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  const value = run();
  const ms = performance.now() - started;
  const { user, system } = process.threadCpuUsage(cpu);
  return { value, ms, cpuMs: (user + system) / 1000 };
}

/** A line of predictions, as `evaluate.py` of the query set reads it. */
export function predictionLine({ query, hits, ms }: Answer): string {
  const results = hits.map(({ entry, score }) => ({ uid: entry.uid, score }));
  return `${JSON.stringify({ id: query.id, results, ms })}\n`;
}
