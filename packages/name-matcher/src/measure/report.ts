import { matcherConfig } from "../config.ts";
import type { Answer } from "./answers.ts";

/** Everything that was measured, as `--json` writes it. */
export type Report = {
  readonly configurationVersion: string;
  readonly entries: number;
  readonly queries: number;
  readonly recall: readonly {
    readonly falsePositiveRate: number;
    readonly threshold: number;
    readonly recall: number;
    readonly within: number;
    readonly around: readonly [number, number];
  }[];
  readonly kinds: ReturnType<typeof recallByKind>;
  readonly bands: Bands;
  readonly speed: Speed;
  /** The same queries to more entries of the same vocabulary. */
  readonly larger: Speed & { readonly entries: number };
  readonly plainScan: Speed & { readonly queries: number };
};

/** Milliseconds of one screening, by the clock and of the processor. */
export type Speed = {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly cpuP50: number;
  readonly cpuP95: number;
  readonly cpuP99: number;
};

type Bands = {
  /** Shares at the configured bands: of those who must be found, and of those who must not. */
  readonly held: number;
  readonly falselyHeld: number;
  readonly blocked: number;
  readonly falselyBlocked: number;
  readonly namesakesHeld: number;
  readonly namesakesBlocked: number;
};

/** Where recall is read off. */
export const falsePositiveRates = [0.001, 0.01, 0.05] as const;

/** What the answers are worth. */
export function quality(answers: readonly Answer[]): Pick<Report, "recall" | "kinds" | "bands"> {
  const recall = falsePositiveRates.map((falsePositiveRate) => ({
    falsePositiveRate,
    ...recallAt(answers, falsePositiveRate),
  }));
  const kinds = recallByKind(
    answers,
    recall.map(({ threshold }) => threshold),
  );
  return { recall, kinds, bands: bandsOf(answers) };
}

function bandsOf(answers: readonly Answer[]): Bands {
  const { review } = matcherConfig.bands;
  const share = (of: readonly Answer[], is: (answer: Answer) => boolean): number =>
    of.filter(is).length / Math.max(1, of.length);
  // A name that is in review by itself stays there, whatever else lowers the score.
  const isHeld = ({ hits }: Answer): boolean =>
    hits.some(({ score, nameScore }) => Math.max(score, nameScore) >= review);
  const isBlocked = ({ hits }: Answer): boolean => hits.some((hit) => hit.verdict === "block");
  const isRight = ({ query, hits }: Answer): Answer["hits"] =>
    hits.filter(({ entry }) => [query.expected, ...query.accept].includes(entry.uid));
  const right = answers.filter(isPositive).map((answer) => ({ ...answer, hits: isRight(answer) }));
  const negatives = answers.filter(isNegative);
  const namesakes = answers.filter(({ query }) => query.kind === "namesake_dob_conflict");
  return {
    held: share(right, isHeld),
    falselyHeld: share(negatives, isHeld),
    blocked: share(right, isBlocked),
    falselyBlocked: share(negatives, isBlocked),
    namesakesHeld: share(namesakes, isHeld),
    namesakesBlocked: share(namesakes, isBlocked),
  };
}

/** Percentiles of some times. */
export function speedOf(times: readonly { readonly ms: number; readonly cpuMs: number }[]): Speed {
  const wall = times.map(({ ms }) => ms);
  const cpu = times.map(({ cpuMs }) => cpuMs);
  return {
    ...{ p50: quantile(wall, 0.5), p95: quantile(wall, 0.95), p99: quantile(wall, 0.99) },
    ...{ cpuP50: quantile(cpu, 0.5), cpuP95: quantile(cpu, 0.95), cpuP99: quantile(cpu, 0.99) },
  };
}

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
