import { setTimeout as pause } from "node:timers/promises";
import type { LifecycleFigures, OpenLoopFigures, ScenarioFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LifecycleResult, LoadCalls, LoadResult } from "../load/load-process.ts";
import type { ScenarioName } from "../load/scenarios.ts";
import { type BenchPlatform, railMs } from "../platforms/bench-platform.ts";
import { restMs, untilSettled } from "./money.ts";
import {
  concurrency,
  type Measured,
  measureScenario,
  quotesFor,
  type ScenarioSetup,
} from "./scenario.ts";

/** Scenarios of one request each; in this order, for an execute needs quotes, a read payouts. */
export const requestNames = ["quote", "execute", "read", "list", "beneficiary", "mix"] as const;
type RequestName = (typeof requestNames)[number];

/** Lifecycles of one merchant and of many, each with an endpoint of its own. */
export const lifecycleNames = ["lifecycle", "merchants"] as const;
type LifecycleName = (typeof lifecycleNames)[number];

/** The name under which the load generator knows the merchants of a lifecycle. */
export function lifecycleTarget({ name }: BenchPlatform, scenario: LifecycleName): string {
  return `${name}, ${scenario}`;
}

/** Measures requests of one kind, or the mix. */
export async function measureRequests(
  setup: ScenarioSetup,
  scenario: RequestName,
): Promise<ScenarioFigures> {
  const { platform, load } = setup;
  const run =
    (name: ScenarioName): Measured["run"] =>
    (count, end) =>
      load.call("run", { name: platform.name, scenario: name, concurrency: count, end });
  const paysOut = scenario === "execute" || scenario === "mix";
  const { figures } = await measureScenario<LoadResult>(setup, {
    run: run(scenario),
    ...(scenario === "execute"
      ? { prepare: (seconds: number) => run("quote")(concurrency, quotesFor(seconds)) }
      : {}),
    settle: async () => (paysOut ? await untilSettled(platform) : 0),
    floor: scenario,
    accounts: 1,
    isPage: scenario === "list",
  });
  return figures;
}

/** Lifecycles a second, tried in turn until one that the platform does not keep up with. */
const openRates = [10, 25, 50, 100, 200, 400];
/** An open loop ends with so many under way: seconds of work for any platform. */
const inFlightMax = 256;
/** Of what is begun faster than it ends, half takes longer than this after a few seconds. */
const keptUpMs = 1_000;

/** Measures lifecycles in a closed loop, and where it is wanted at fixed rates. */
export async function measureLifecycle(
  setup: ScenarioSetup,
  scenario: LifecycleName,
  accounts: number,
): Promise<LifecycleFigures> {
  const { platform, load } = setup;
  const name = lifecycleTarget(platform, scenario);
  const { figures, result } = await measureScenario<LifecycleResult>(setup, {
    run: (count, end) =>
      load.call("lifecycles", { name, railMs, loop: { concurrency: count, end } }),
    settle: async () => {
      await pause(restMs);
      return 0;
    },
    floor: "lifecycle",
    accounts,
    isPage: false,
  });
  const { webhook_p50_ms, webhook_p99_ms } = result;
  const isOpen = scenario === "lifecycle";
  return {
    ...figures,
    ...{ webhook_p50_ms, webhook_p99_ms },
    open_loop: isOpen ? await measureOpenLoop(setup, name) : [],
  };
}

async function measureOpenLoop(
  { load, seconds }: ScenarioSetup,
  name: string,
): Promise<OpenLoopFigures[]> {
  const figures: OpenLoopFigures[] = [];
  for (const rate of openRates) {
    const loop = { perSecond: rate, seconds, inFlightMax };
    const result = await load.call("lifecycles", { name, railMs, loop });
    const { requests, per_s, p50_ms, p99_ms, p999_ms, webhook_p50_ms, webhook_p99_ms } = result;
    const kept_up = result.keptUp && p50_ms <= keptUpMs;
    const times = { p50_ms, p99_ms, p999_ms, webhook_p50_ms, webhook_p99_ms };
    figures.push({ rate, requests, per_s, ...times, kept_up });
    if (!kept_up) break;
  }
  return figures;
}

/** Runs each in turn, so that what is measured afterwards is compiled and cached. */
export async function warmUp(
  load: Child<LoadCalls>,
  platforms: readonly BenchPlatform[],
  wanted: readonly string[],
  seconds: number,
): Promise<void> {
  const runs = platforms.flatMap((platform) => [
    ...requestNames.flatMap((scenario) => {
      // What an execute or a read needs is made by the ones before it.
      const isWanted =
        wanted.includes(scenario) || (scenario === "quote" && wanted.includes("execute"));
      const job = { name: platform.name, scenario, concurrency };
      return isWanted ? [(end: { seconds: number }) => load.call("run", { ...job, end })] : [];
    }),
    ...lifecycleNames.flatMap((scenario) => {
      const name = lifecycleTarget(platform, scenario);
      const lifecycles = (end: { seconds: number }) =>
        load.call("lifecycles", { name, railMs, loop: { concurrency, end } });
      return wanted.includes(scenario) ? [lifecycles] : [];
    }),
  ]);
  for (const run of runs) await run({ seconds: seconds / runs.length });
}
