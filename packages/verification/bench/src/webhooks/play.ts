import { measureCrash } from "./crash.ts";
import { measureDeadEndpoint } from "./dead-endpoint.ts";
import type { Cost, ScenarioFigures, WebhookFigures } from "./figures.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import type { ScenarioName } from "./options.ts";
import { measureOutage } from "./outage.ts";
import { restReport } from "./report.ts";
import { measureSaturation } from "./saturation.ts";
import { type Stage, spentOn, startSteady } from "./stage.ts";
import { type Measured, measureSteady } from "./steady.ts";

/** Before anything is measured: code that runs for the first time is slow. */
const warmUpSeconds = 5;

/** Long enough for every loop of the notifier's to come round often. */
const restMs = 4_000;

/** All that a bench came to. */
export type Played = {
  readonly figures: WebhookFigures;
  readonly costs: readonly (readonly [ScenarioName, Cost])[];
  /** What was lost or went astray; each fails the bench. */
  readonly faults: readonly string[];
};

/** Plays the scenarios that are asked for, in the order of their names. */
export async function playScenarios(stage: Stage): Promise<Played> {
  const { options, say } = stage;
  const measured = new Map<ScenarioName, Measured>();
  const wants = (name: ScenarioName) => options.only.has(name);
  const keep = (name: ScenarioName, each: Measured) => {
    measured.set(name, each);
    if (each.note !== undefined) say(`  ${name}: ${each.note}`);
  };
  const play = async (name: ScenarioName, work: () => Promise<Measured>) => {
    if (!wants(name)) return;
    say(`playing ${name}`);
    keep(name, await work());
  };
  say("warming up");
  await startSteady(stage, "warm", stage.hooks, warmUpSeconds).ended;
  say(restReport((await spentOn(stage, () => untilMs(monotonicMs() + restMs))).spent));
  await play("A", () => measureSteady(stage));
  await play("B", () => measureSaturation(stage));
  const besideDead = (["C", "D"] as const).filter(wants);
  if (besideDead.length > 0) {
    say(`playing ${besideDead.join(" and ")}, each in turn with A`);
    const both = await measureDeadEndpoint(stage, besideDead);
    for (const name of besideDead) {
      const each = both[name];
      if (each !== undefined) keep(name, each);
    }
  }
  await play("E", () => measureOutage(stage));
  await play("F", () => measureCrash(stage));
  return summary(measured);
}

function summary(measured: ReadonlyMap<ScenarioName, Measured>): Played {
  const all = [...measured];
  const figures: Partial<Record<ScenarioName, ScenarioFigures>> = {};
  for (const [name, each] of all) figures[name] = each.figures;
  const costs = all.flatMap(([name, { cost }]) =>
    cost === undefined ? [] : [[name, cost] as const],
  );
  const faults = all.flatMap(
    ([
      name,
      {
        figures: { lost },
        astray,
      },
    ]) => [
      ...(lost === 0 ? [] : [`${name}: ${lost} events were lost`]),
      ...(astray === 0 ? [] : [`${name}: ${astray} events went to another endpoint`]),
    ],
  );
  return { figures, costs, faults };
}
