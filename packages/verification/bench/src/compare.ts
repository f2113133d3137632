import type { BenchFigures, ScenarioFigures } from "./figures.ts";
import { platformCpu, platformProcesses } from "./measures/cost.ts";
import { rounded } from "./measures/percentile.ts";
import { table } from "./table.ts";

/** CPU time per request may grow by this share: less is noise. */
const growthMax = 0.1;
/** What has changed since an earlier run, and what has grown too much. */
export type Comparison = {
  readonly text: string;
  /** A line for each scenario that costs more CPU time than it may. */
  readonly grown: readonly string[];
};

/**
 * Holds the scenarios that both runs have against each other. CPU time per request decides, for it
 * depends least on what else the machine does.
 */
export function compareFigures(earlier: BenchFigures, later: BenchFigures): Comparison {
  const pairs = Object.entries(later.scenarios).flatMap(([name, after]) => {
    const before = earlier.scenarios[name];
    return before === undefined ? [] : [{ name, before, after }];
  });
  const rows = pairs.map(({ name, before, after }) => [
    name,
    ...changeOf(platformCpu(before), platformCpu(after)),
    ...changeOf(before.mongo_ops_total, after.mongo_ops_total),
    ...changeOf(before.document_writes, after.document_writes),
    ...changeOf(before.per_s, after.per_s),
    ...changeOf(before.p50_ms, after.p50_ms),
  ]);
  const grown = pairs.flatMap(({ name, before, after }) => {
    const [was, is] = [platformCpu(before), platformCpu(after)];
    return is > was * (1 + growthMax)
      ? [
          `${name}: CPU per request grew by more than ${growthMax * 100} %: ${processes(before, after)}`,
        ]
      : [];
  });
  const shown = rows.length === 0 ? "no scenario is in both runs" : table(head, rows);
  return { text: [...terms(earlier, later), shown].join("\n"), grown };
}

const head = [
  ...["scenario", "CPU µs", "", "commands", "", "writes", ""],
  ...["req/s", "", "p50 ms", ""],
];

/** The change as a person reads it: from what to what, and by which share. */
function changeOf(before: number, after: number): [string, string] {
  const share = before === 0 ? 0 : rounded((after / before - 1) * 100, 0);
  return [`${before} → ${after}`, `${share > 0 ? "+" : ""}${share} %`];
}

function processes(before: ScenarioFigures, after: ScenarioFigures): string {
  return platformProcesses(after)
    .filter(([name, us]) => (us ?? 0) > (before.cpu_us[name] ?? 0))
    .map(([name, us]) => `${name} ${before.cpu_us[name] ?? 0} → ${us}`)
    .join(", ");
}

/** Runs that were made in another way are no fair comparison. */
function terms(earlier: BenchFigures, later: BenchFigures): string[] {
  const since = `Since ${earlier.machine.commit}`;
  return earlier.concurrency === later.concurrency
    ? [since]
    : [`${since}, then with ${earlier.concurrency} requests at a time, now ${later.concurrency}`];
}
