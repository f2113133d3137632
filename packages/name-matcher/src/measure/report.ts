import { matcherConfig } from "../config.ts";
import type { Answer } from "./answers.ts";
import { isNegative, isPositive, quantile, recallAt, recallByKind } from "./recall.ts";

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
