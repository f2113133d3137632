import type { ListEntry } from "../domain/list-entry.ts";
import type { ListVersion } from "../domain/list-version.ts";
import { matcherBuilder } from "../domain/matcher.ts";
import { type MatcherConfig, matcherConfig } from "../domain/matcher-config.ts";
import { type ListsInForce, type ScreeningHit, screen } from "../domain/screening.ts";
import { buildWalletIndex } from "../domain/wallet-index.ts";
import type { Query } from "./query.ts";

/** Low enough to see the scores of what is cleared; nothing else differs from what is in force. */
export const seeAll: MatcherConfig = {
  ...matcherConfig,
  bands: { review: 0.3, block: matcherConfig.bands.block },
};

/** The version of whatever is measured. */
export const measuredVersion: ListVersion = {
  ...{ list: "measured", version: "1", importId: "1", entries: 0, checksum: "" },
  importedAt: new Date(0),
};

/** Entries as they are in force, under one list. */
export function inForce(entries: readonly ListEntry[], config: MatcherConfig): ListsInForce {
  const builder = matcherBuilder(config);
  for (const entry of entries) builder.add(entry);
  return {
    lists: [measuredVersion],
    matcher: builder.finish(),
    wallets: buildWalletIndex(entries),
    listOf: () => measuredVersion,
  };
}

/** What a screening answered to a query, best first, and how long it took. */
export type Answer = {
  readonly query: Query;
  readonly hits: readonly ScreeningHit[];
  readonly ms: number;
  /** Of the processor alone: what else the machine does is not in it. */
  readonly cpuMs: number;
};

/** Asks each query by `screen`, as ScreenParty does. */
export function ask(lists: ListsInForce, queries: readonly Query[]): Answer[] {
  return queries.map((query) => {
    const cpu = process.threadCpuUsage();
    const started = performance.now();
    const { hits } = screen({ parties: [query.party], wallets: [] }, lists);
    const ms = performance.now() - started;
    const { user, system } = process.threadCpuUsage(cpu);
    const best = hits.toSorted((a, b) => b.score - a.score);
    return { query, hits: best, ms, cpuMs: (user + system) / 1000 };
  });
}

/** A line of predictions, as `evaluate.py` of the query set reads it. */
export function predictionLine({ query, hits, ms }: Answer): string {
  const results = hits.map(({ entryUid, score }) => ({ uid: entryUid, score }));
  return `${JSON.stringify({ id: query.id, results, ms })}\n`;
}
