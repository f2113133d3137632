import type { Hit, Matcher } from "../matcher.ts";
import { nameQualityIssue } from "../name-quality.ts";
import { type Verdict, worstVerdict } from "../verdict.ts";
import type { ListedEntry, Query } from "./query-set.ts";
import { timed } from "./speed.ts";

/** The lowest reported score. It is far below the threshold of any false-positive rate. */
const scoreMin = 0.3;
/** More hits than any query has, so that every right hit is included. */
const hitsMax = 10_000;

export type QueryResult = {
  readonly query: Query;
  /** Best score first, including clear hits. */
  readonly hits: readonly Hit<ListedEntry>[];
  /**
   * The verdict that the product would give. A name that cannot be compared completely counts too.
   */
  readonly verdict: Verdict;
  /** Milliseconds of the search with the product's options. */
  readonly ms: number;
  /** CPU milliseconds of this process. */
  readonly cpuMs: number;
};

/** Screens each party as the product does, and also reports the scores of clear hits. */
export function runQueries(
  matcher: Matcher<ListedEntry>,
  queries: readonly Query[],
): QueryResult[] {
  return queries.map((query) => {
    const { party } = query;
    const { value: found, ...times } = timed(() => matcher.match(party));
    const hits = matcher.match(party, { most: hitsMax, clearFrom: scoreMin });
    hits.sort((a, b) => b.score - a.score);
    const isUnreadable = nameQualityIssue(party.name, party.type === "individual") !== undefined;
    const verdict = worstVerdict([
      ...found.map((hit) => hit.verdict),
      isUnreadable ? "review" : "clear",
    ]);
    return { query, hits, verdict, ...times };
  });
}

/** Writes a prediction for `evaluate.py` of the query set, with the verdict. */
export function predictionLine({ query, hits, verdict, ms }: QueryResult): string {
  const results = hits.map(({ entry, score }) => ({ uid: entry.uid, score }));
  return `${JSON.stringify({ id: query.id, verdict, results, ms })}\n`;
}

const rightHits = ({ query, hits }: QueryResult): QueryResult["hits"] =>
  hits.filter(({ entry }) => [query.expected, ...query.accept].includes(entry.uid));
const topScore = ({ hits }: Pick<QueryResult, "hits">): number => hits[0]?.score ?? 0;
const isNegative = ({ query }: QueryResult): boolean => query.kind.startsWith("neg_");
/** True if an entry must be found. */
export const isPositive = ({ query }: QueryResult): boolean => query.expected !== null;
/** The best score of a right hit, in [0, 1]; 0 if none was found. */
export const rightScore = (result: QueryResult): number => topScore({ hits: rightHits(result) });

/** The standard normal quantile of a two-sided interval of 95%. */
const z95 = 1.96;

const shareAbove = (scores: readonly number[], threshold: number): number =>
  scores.filter((score) => score > threshold).length / Math.max(1, scores.length);

/**
 * Computes the recall at a false-positive rate, both in [0, 1]. `threshold` is the score that at
 * most this share of the negatives exceeds. `within` is half of the 95% interval. `around` has the
 * recall if the threshold admits one negative less or more.
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

/** Recall is reported at these false-positive rates. */
export const falsePositiveRates = [0.001, 0.01, 0.05] as const;

/**
 * Computes the recall at each false-positive rate and the verdicts, over all queries and by kind.
 */
export function quality(results: readonly QueryResult[]) {
  const recall = falsePositiveRates.map((falsePositiveRate) => ({
    falsePositiveRate,
    ...recallAt(results, falsePositiveRate),
  }));
  const kinds = byKind(results.filter(isPositive)).map(({ kind, some }) => {
    const scores = some.map(rightScore);
    const recalls = recall.map(({ threshold }) => shareAbove(scores, threshold));
    return { kind, count: scores.length, recalls };
  });
  return { recall, kinds, verdicts: verdictsOf(results) };
}

function byKind(results: readonly QueryResult[]) {
  return [...Map.groupBy(results, ({ query }) => query.kind)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, some]) => ({ kind, some }));
}

/**
 * Returns the share of queries with a review or block, and the share with a block, over all queries
 * and by kind.
 */
export function verdictsOf(results: readonly QueryResult[]) {
  const namesakes = results.filter(({ query }) => query.kind === "namesake_dob_conflict");
  return {
    mustBeFound: held(results.filter(isPositive)),
    mustNot: held(results.filter(isNegative)),
    namesakes: held(namesakes),
    kinds: byKind(results).map(({ kind, some }) => ({ kind, ...held(some) })),
  };
}

function held(some: readonly QueryResult[]) {
  const share = (is: (result: QueryResult) => boolean): number =>
    some.filter(is).length / Math.max(1, some.length);
  return {
    count: some.length,
    held: share(({ verdict }) => verdict !== "clear"),
    blocked: share(({ verdict }) => verdict === "block"),
  };
}
