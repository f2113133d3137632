import { type MatcherConfig, matcherConfig } from "../config.ts";
import type { Hit, Matcher } from "../matcher.ts";
import type { ListedEntry, Query } from "./query-set.ts";
import { timed } from "./speed.ts";

/** The configuration in use, with a review threshold that shows the scores below it too. */
export const allScoresConfig: MatcherConfig = {
  ...matcherConfig,
  bands: { review: 0.3, block: matcherConfig.bands.block },
};

/** The hits of a query, best first, and the milliseconds that it took. */
export type QueryResult = {
  readonly query: Query;
  readonly hits: readonly Hit<ListedEntry>[];
  readonly ms: number;
  /** Of the processor alone, without what else the machine does. */
  readonly cpuMs: number;
};

/** Screens the party of each query. */
export function runQueries(
  matcher: Matcher<ListedEntry>,
  queries: readonly Query[],
): QueryResult[] {
  return queries.map((query) => {
    const { value: hits, ...times } = timed(() => matcher.match(query.party));
    return { query, hits, ...times };
  });
}

/** A line of predictions, as `evaluate.py` of the query set reads it. */
export function predictionLine({ query, hits, ms }: QueryResult): string {
  const results = hits.map(({ entry, score }) => ({ uid: entry.uid, score }));
  return `${JSON.stringify({ id: query.id, results, ms })}\n`;
}

const rightHits = ({ query, hits }: QueryResult): QueryResult["hits"] =>
  hits.filter(({ entry }) => [query.expected, ...query.accept].includes(entry.uid));
const topScore = ({ hits }: Pick<QueryResult, "hits">): number => hits[0]?.score ?? 0;
const isNegative = ({ query }: QueryResult): boolean => query.kind.startsWith("neg_");
/** Whether an entry must be found. */
export const isPositive = ({ query }: QueryResult): boolean => query.expected !== null;
/** The best score of a right hit, in [0, 1]; 0 where none was found. */
export const rightScore = (result: QueryResult): number => topScore({ hits: rightHits(result) });

/** The standard normal quantile of a two-sided interval of 95%. */
const z95 = 1.96;

const shareAbove = (scores: readonly number[], threshold: number): number =>
  scores.filter((score) => score > threshold).length / Math.max(1, scores.length);

/**
 * Recall at a false-positive rate, all in [0, 1]: `threshold` is the score that at most this share
 * of the negatives exceeds, `within` half of the 95% interval, `around` the recall with the
 * threshold at the negative before and after.
 */
export function recallAt(results: readonly QueryResult[], falsePositiveRate: number) {
  const negatives = results.filter(isNegative).map(topScore);
  negatives.sort((a, b) => b - a);
  const positives = results.filter(isPositive).map(rightScore);
  const at = Math.floor(negatives.length * falsePositiveRate);
  const threshold = negatives[at] ?? 0;
  const recall = shareAbove(positives, threshold);
  const within = z95 * Math.sqrt((recall * (1 - recall)) / Math.max(1, positives.length));
  const around = [negatives[at - 1] ?? 1, negatives[at + 1] ?? 0];
  return { threshold, recall, within, around: around.map((each) => shareAbove(positives, each)) };
}

/** The false-positive rates that recall is reported at. */
export const falsePositiveRates = [0.001, 0.01, 0.05] as const;

/** Recall at each false-positive rate, over all queries and by kind, and at the bands in use. */
export function quality(results: readonly QueryResult[]) {
  const recall = falsePositiveRates.map((falsePositiveRate) => ({
    falsePositiveRate,
    ...recallAt(results, falsePositiveRate),
  }));
  const byKind = Map.groupBy(results.filter(isPositive), ({ query }) => query.kind);
  const kinds = [...byKind]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, some]) => {
      const scores = some.map(rightScore);
      const recalls = recall.map(({ threshold }) => shareAbove(scores, threshold));
      return { kind, count: scores.length, recalls };
    });
  return { recall, kinds, bands: bandsOf(results) };
}

/** Shares of positives, negatives and namesakes that are held for review, and blocked. */
function bandsOf(results: readonly QueryResult[]) {
  const { review } = matcherConfig.bands;
  const share = (of: readonly QueryResult[], is: (result: QueryResult) => boolean): number =>
    of.filter(is).length / Math.max(1, of.length);
  // A name that is a review by itself stays one, whatever evidence lowers the score.
  const isHeld = ({ hits }: QueryResult): boolean =>
    hits.some(({ score, nameScore }) => Math.max(score, nameScore) >= review);
  const isBlocked = ({ hits }: QueryResult): boolean =>
    hits.some(({ verdict }) => verdict === "block");
  const right = results.filter(isPositive).map((one) => ({ ...one, hits: rightHits(one) }));
  const negatives = results.filter(isNegative);
  const namesakes = results.filter(({ query }) => query.kind === "namesake_dob_conflict");
  return {
    held: share(right, isHeld),
    falselyHeld: share(negatives, isHeld),
    blocked: share(right, isBlocked),
    falselyBlocked: share(negatives, isBlocked),
    namesakesHeld: share(namesakes, isHeld),
    namesakesBlocked: share(namesakes, isBlocked),
  };
}
