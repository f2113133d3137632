import { commandTotal, scaledCounts, type Usage } from "../measures/counters.ts";
import { rounded } from "../measures/percentile.ts";
import { table } from "../table.ts";
import type { Cost, ScenarioFigures, WebhookFigures } from "./figures.ts";
import type { ScenarioName } from "./options.ts";

/** What is to be reached, in words and as a rule. */
type Target = { readonly text: string; readonly met: (figures: ScenarioFigures) => boolean };

const within = (value: number | null, bound: number): boolean => value !== null && value <= bound;
const atLeast = (value: number | null, bound: number): boolean => value !== null && value >= bound;

const besideDead: Target = {
  text: "p99 ≤ 1.5 × A",
  met: ({ p99_to_a }) => within(p99_to_a, 1.5),
};

/** The targets of 2 cores with engine, broker, load and receivers beside the notifier. */
const targets: Readonly<Record<ScenarioName, Target>> = {
  A: {
    text: "p50 ≤ 20, p99 ≤ 150 ms",
    met: ({ p50_ms, p99_ms }) => within(p50_ms, 20) && within(p99_ms, 150),
  },
  B: {
    text: "≥ 1,000/s, ≥ 0.2 × floor",
    met: ({ per_s, floor_ratio }) => atLeast(per_s, 1_000) && atLeast(floor_ratio, 0.2),
  },
  C: besideDead,
  D: besideDead,
  E: {
    text: "≥ 700/s, new p99 ≤ 2 × A",
    met: ({ per_s, p99_to_a }) => atLeast(per_s, 700) && within(p99_to_a, 2),
  },
  F: {
    text: "0 lost, duplicates ≤ in flight, A in 20 s",
    met: ({ lost, duplicates, in_flight, back_after_s }) =>
      lost === 0 && within(duplicates, in_flight ?? 0) && within(back_after_s, 20),
  },
};

/** Whether a scenario has reached what it is to reach. */
export function isMet(name: ScenarioName, figures: ScenarioFigures): boolean {
  return targets[name].met(figures);
}

type Named<T> = readonly (readonly [ScenarioName, T])[];

/** The figures beside their targets, as a person reads them. */
export function webhookReport(figures: WebhookFigures): string {
  const head = ["", "per s", "p50 ms", "p99 ms", "p99/A", "floor", "lost", "dup", "in flight"];
  const rows = (Object.entries(figures) as unknown as Named<ScenarioFigures>).map(
    ([name, each]) => [
      name,
      ...[each.per_s, each.p50_ms, each.p99_ms, each.p99_to_a, each.floor_ratio].map(cell),
      ...[each.lost, each.duplicates, each.in_flight, each.back_after_s].map(cell),
      targets[name].text,
      isMet(name, each) ? "reached" : "MISSED",
    ],
  );
  return table([...head, "back s", "target", ""], rows);
}

const cell = (value: number | null): string => (value === null ? "–" : String(value));

/** What one delivery costs, by scenario: microseconds of each process, MongoDB commands by kind. */
export function costReport(costs: Named<Cost>): string {
  const processes = Object.keys(costs[0]?.[1].usage.cpu ?? {});
  const cpu = costs.map(([name, { deliveries, usage }]) => [
    name,
    ...processes.map((process) => {
      const used = usage.cpu[process];
      return used === undefined ? "–" : String(Math.round(used / deliveries));
    }),
  ]);
  const commands = costs.map(([name, { deliveries, usage }]) => {
    const each = scaledCounts(usage.commands, 1 / deliveries);
    const kinds = Object.entries(each).map(([kind, count]) => `${kind} ${rounded(count, 3)}`);
    return `${name}: ${rounded(commandTotal(each), 3)} (${kinds.join(", ")})`;
  });
  return [
    `CPU per delivery, µs\n${table(["", ...processes], cpu)}`,
    `MongoDB commands per delivery\n${commands.join("\n")}`,
  ].join("\n\n");
}

/** What the idle processes use; each scenario's cost has it in it. */
export function restReport({ elapsedMs, cpu, commands }: Usage): string {
  const shares = Object.entries(cpu).map(([process, used]) => {
    return `${process} ${used === undefined ? "–" : rounded(used / 10 / elapsedMs, 1)}`;
  });
  const perSecond = rounded((commandTotal(commands) * 1_000) / elapsedMs, 1);
  return `  at rest: ${shares.join(", ")} % of a core; ${perSecond} MongoDB commands/s`;
}
