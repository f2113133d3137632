import type { Answer } from "./answers.ts";

/** The best score of a hit that is right; 0 where it was not found. */
export function rightScore({ query, hits }: Answer): number {
  const right = new Set([query.expected, ...query.accept]);
  const scores = hits.filter((hit) => right.has(hit.entry.uid)).map((hit) => hit.score);
  return Math.max(0, ...scores);
}

/** The best score of any hit. */
export const topScore = ({ hits }: Answer): number => hits[0]?.score ?? 0;
/** Whether somebody must be found. */
export const isPositive = ({ query }: Answer): boolean => query.expected !== null;
/** Whether nobody must be found. */
export const isNegative = ({ query }: Answer): boolean => query.kind.startsWith("neg_");

/** Shares of those that must be found, in [0, 1]. */
export type Recall = {
  /** Found is what scores above it. */
  readonly threshold: number;
  readonly recall: number;
  /** Half of the interval of 95% that so many queries allow. */
  readonly within: number;
  /** With the threshold at the negative before and after the one that sets it. */
  readonly around: readonly [number, number];
};

const z95 = 1.96;

/** The score that at most this share of the negatives exceeds, and the recall there. */
export function recallAt(answers: readonly Answer[], falsePositiveRate: number): Recall {
  const scores = answers.filter(isNegative).map(topScore);
  const negatives = scores.sort((a, b) => b - a);
  const positives = answers.filter(isPositive).map(rightScore);
  const at = Math.floor(negatives.length * falsePositiveRate);
  const above = (threshold: number): number =>
    positives.filter((score) => score > threshold).length / Math.max(1, positives.length);
  const threshold = negatives[at] ?? 0;
  const recall = above(threshold);
  const within = z95 * Math.sqrt((recall * (1 - recall)) / Math.max(1, positives.length));
  const around = [above(negatives[at - 1] ?? 1), above(negatives[at + 1] ?? 0)] as const;
  return { threshold, recall, within, around };
}

/** Recall of each kind of query at each of these thresholds. */
export function recallByKind(
  answers: readonly Answer[],
  thresholds: readonly number[],
): { readonly kind: string; readonly count: number; readonly recalls: readonly number[] }[] {
  const kinds = [...new Set(answers.filter(isPositive).map(({ query }) => query.kind))].sort();
  return kinds.map((kind) => {
    const scores = answers.filter(({ query }) => query.kind === kind).map(rightScore);
    const recalls = thresholds.map(
      (threshold) => scores.filter((score) => score > threshold).length / scores.length,
    );
    return { kind, count: scores.length, recalls };
  });
}

/** The value that `share` of the sorted values are below. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
