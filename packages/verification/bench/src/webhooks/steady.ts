import { rounded } from "../percentile.ts";
import { type Cost, figuresOf, latencyOf, type ScenarioFigures } from "./figures.ts";
import { type Stage, type SteadyRun, spentOn, startSteady } from "./stage.ts";

/** A scenario's figures, what a delivery of it cost, and what was wrong with the counts. */
export type Measured = {
  readonly figures: ScenarioFigures;
  readonly cost?: Cost;
  readonly astray: number;
  readonly note?: string;
};

/** A: 200 events a second to 100 endpoints. */
export async function measureSteady(stage: Stage): Promise<Measured> {
  const { hooks, options } = stage;
  const { steadySeconds } = options.sizes;
  const work = () => startSteady(stage, "a", hooks, steadySeconds).ended;
  const { done: run, spent } = await spentOn(stage, work);
  const cost = { deliveries: run.samples.length, spent };
  return { figures: steadyFigures(run), cost, astray: run.astray, note: latenessOf(run) };
}

/** The figures of an open loop. */
export function steadyFigures(run: SteadyRun): ScenarioFigures {
  const { samples, lost, duplicates, seconds } = run;
  const per_s = rounded(samples.length / seconds, 1);
  return figuresOf({ ...latencyOf(samples), per_s, lost, duplicates });
}

/** How late the load was itself: part of every latency, for that counts from the due moment. */
export function latenessOf({ lateP99Ms, lateMaxMs }: SteadyRun): string {
  return `load late by ${lateP99Ms} ms (p99), ${lateMaxMs} ms (most)`;
}
