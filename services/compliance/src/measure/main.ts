import { buildIndex } from "../domain/matcher.ts";
import { matcherConfig } from "../domain/matcher-config.ts";
import {
  type Answer,
  ask,
  hasQuerySet,
  isNegative,
  isPositive,
  quantile,
  queries,
  querySetEntries,
  recallAt,
  rightScore,
} from "./query-set.ts";

/** Low enough to see the scores of what is cleared. */
const seeAll = { ...matcherConfig, bands: { review: 0.3, block: matcherConfig.bands.block } };

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function report(answers: readonly Answer[]): void {
  for (const rate of [0.001, 0.01, 0.05]) {
    const { threshold, recall } = recallAt(answers, rate);
    const at = `at ${percent(rate)} false positives, above ${threshold.toFixed(4)}`;
    say(`recall ${percent(recall)} ${at}`);
  }
  for (const [band, score] of Object.entries(matcherConfig.bands)) {
    const positives = answers.filter(isPositive);
    const negatives = answers.filter(isNegative);
    const found = positives.filter((answer) => rightScore(answer) >= score).length;
    const wrong = negatives.filter(({ hits }) => (hits[0]?.score ?? 0) >= score).length;
    const rates = [found / positives.length, wrong / negatives.length].map(percent);
    say(`${band} at ${score}: recall ${rates[0]}, false positives ${rates[1]}`);
  }
  for (const kind of new Set(answers.filter(isPositive).map(({ query }) => query.kind))) {
    const some = answers.filter(({ query }) => query.kind === kind);
    const found = some.filter((answer) => rightScore(answer) >= matcherConfig.bands.review);
    say(`  ${kind}: ${found.length} of ${some.length} in review or block`);
  }
  const times = answers.map(({ ms }) => ms);
  const [half, most, worst] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(2));
  say(`a query takes ${half} ms at p50, ${most} ms at p99, ${worst} ms at most`);
}

if (hasQuerySet) report(ask(buildIndex(querySetEntries(), seeAll), queries()));
else say("the query set is not beside the project: nothing measured");
