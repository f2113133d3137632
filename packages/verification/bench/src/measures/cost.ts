import type { ScenarioFigures } from "../figures.ts";

/** Processes that stand for merchants, and are no part of the platform. */
const merchants: readonly string[] = ["load", "receiver"];

/** The CPU time of a request in each process of the platform, in microseconds. */
export function platformProcesses({ cpu_us }: Pick<ScenarioFigures, "cpu_us">) {
  return Object.entries(cpu_us).filter(([name]) => !merchants.includes(name));
}

/** The same in all of them. */
export function platformCpu(scenario: Pick<ScenarioFigures, "cpu_us">): number {
  return platformProcesses(scenario).reduce((sum, [, us]) => sum + (us ?? 0), 0);
}
