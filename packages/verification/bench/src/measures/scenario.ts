import type { Child } from "../load/child.ts";
import { type LoadResult, type Pace, runLoad, runNaive } from "../load/run.ts";
import type { LoadState } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { costOf, cpuPerRequest, naiveCpuRatio } from "./cost.ts";
import { lessUsage, readUsage, type Usage } from "./counters.ts";
import { untilSettled } from "./money.ts";
import { rounded } from "./percentile.ts";

/** Ordered: an execute needs quotes, and a read needs payouts. */
export const scenarioNames = [
  "quote",
  "execute",
  "read",
  "list",
  "beneficiary",
  "lifecycle",
  "merchants",
] as const;
export type MeasuredName = (typeof scenarioNames)[number];

/** Measurement times of closed loops. Lifecycles need longer to show a growing queue. */
export type Times = { readonly seconds: number; readonly lifecycleSeconds: number };

export type ScenarioSetup = Times & {
  readonly platform: BenchPlatform;
  readonly state: LoadState;
  readonly naive: Child;
  readonly rest: Usage;
};

/** Concurrent requests of a busy merchant. */
export const concurrency = 64;
/** Figures that stabilize sooner use this fraction of the time. */
const shortShare = 0.3;

const isLifecycle = (name: MeasuredName) => name === "lifecycle" || name === "merchants";

const requestsOf = (name: MeasuredName) => (isLifecycle(name) ? "lifecycle" : name);

export type ScenarioFigures = Awaited<ReturnType<typeof measureScenario>>;

/** Measures a scenario on the platform, then on the naive program. */
export async function measureScenario(setup: ScenarioSetup, name: MeasuredName) {
  const { state, rest } = setup;
  const seconds = isLifecycle(name) ? setup.lifecycleSeconds : setup.seconds;
  const run = async (clients: number, runSeconds: number) => {
    if (name === "execute") await runLoad(state, "quote", quotesFor(runSeconds));
    return await measureLoad(setup, name, {
      concurrency: clients,
      end: { seconds: runSeconds },
    });
  };
  const { result, usage } = await run(concurrency, seconds);
  const single = await run(1, seconds * shortShare);
  const naive = await measureNaive(setup, name, result, seconds * shortShare);
  const cost = costOf(usage, rest, result.figures.requests);
  return {
    ...result.figures,
    ...cost,
    naive,
    naive_ratio: rounded(result.figures.per_s / naive.per_s, 3),
    naive_cpu_ratio: naiveCpuRatio(cost, naive),
    one_at_a_time: single.result.figures,
    webhook: result.webhook,
    fixed_rates: name === "merchants" ? await measureRates(setup) : undefined,
  };
}

/** Measures a scenario. An execute or a lifecycle includes all of its background work. */
async function measureLoad({ platform, state }: ScenarioSetup, name: MeasuredName, pace: Pace) {
  const before = await readUsage(platform.mongo, platform.pids);
  const result = await runLoad(state, requestsOf(name), pace);
  if (isLifecycle(name) || name === "execute") await untilSettled(platform.databases);
  const usage = lessUsage(await readUsage(platform.mongo, platform.pids), before);
  return { result, usage };
}

async function measureNaive(
  { state, platform, naive, rest }: ScenarioSetup,
  name: MeasuredName,
  { sizes }: LoadResult,
  seconds: number,
) {
  const job = { url: naive.url, accounts: state.targets.length, sizes };
  if (name === "execute") await runNaive({ ...job, scenario: "quote" }, quotesFor(seconds));
  const pids = { naive: naive.pid, engine: platform.pids.engine };
  const before = await readUsage(platform.mongo, pids);
  const pace = { concurrency, end: { seconds } };
  const { figures } = await runNaive({ ...job, scenario: requestsOf(name) }, pace);
  const usage = lessUsage(await readUsage(platform.mongo, pids), before);
  // Subtracts the work that the platform at rest causes in the shared engine, because it isn't part
  // of the naive program's work.
  const own = lessUsage(usage, rest, usage.elapsedMs / rest.elapsedMs);
  const cpu = cpuPerRequest(own, figures.requests);
  return { ...figures, cpu_us: cpu.naive ?? null, engine_cpu_us: cpu.engine ?? null };
}

/** Lifecycles per second, tested in order until the platform is overloaded. */
const rates = [10, 25, 50, 100, 200, 400];
/**
 * An open loop ends at this number of requests in flight. Any platform would need seconds to finish
 * them.
 */
const inFlightMax = 256;
/**
 * Maximum median latency of a rate that the platform keeps up with. Detects a queue that exists
 * from the start and doesn't grow.
 */
const keptUpMs = 1_000;

async function measureRates(setup: ScenarioSetup) {
  const measured = [];
  for (const rate of rates) {
    const pace = { perSecond: rate, seconds: setup.lifecycleSeconds, inFlightMax };
    const { result, usage } = await measureLoad(setup, "merchants", pace);
    const { figures, webhook } = result;
    const kept_up = figures.kept_up && figures.p50_ms <= keptUpMs;
    const cost = costOf(usage, setup.rest, figures.requests);
    measured.push({ rate, webhook, ...figures, ...cost, kept_up });
    if (!kept_up) break;
  }
  return measured;
}

/** Runs each scenario in turn, so that its code is compiled and its data cached. */
export async function warmUp(
  state: LoadState,
  wanted: readonly MeasuredName[],
  seconds: number,
): Promise<void> {
  // An execute needs quotes.
  const names = new Set(wanted.includes("execute") ? ["quote" as const, ...wanted] : wanted);
  for (const name of names) {
    const end = { seconds: seconds / names.size };
    await runLoad(state, requestsOf(name), { concurrency, end });
  }
}

/** Enough quotes for `seconds` of executes, since an execute costs more than a quote. */
function quotesFor(seconds: number): Pace {
  return { concurrency, end: { seconds: seconds * 2 } };
}
