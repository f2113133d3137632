import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import { type Backends, withBackends } from "../platforms/backends.ts";
import type { WebhookFigures } from "./figures.ts";
import { type Harness, measureUsage, startHarness, startSteady } from "./harness.ts";
import { measureCrash, measureDeadEndpoint, measureOutage } from "./interruptions.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import { readWebhookOptions, type ScenarioName, type WebhookBenchOptions } from "./options.ts";
import { costReport, restReport, webhookReport } from "./report.ts";
import { type Measured, measureSaturation, measureSteady } from "./throughput.ts";

/** `npm run bench:webhooks`: README.md says what it measures and how. */

async function bench(options: WebhookBenchOptions, backends: Backends): Promise<number> {
  const startedAt = performance.now();
  const harness = await startHarness(backends, options);
  try {
    const { figures, costs, faults } = await measureScenarios(harness);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`\n${webhookReport(figures)}\n`);
    if (costs.length > 0) say(`${costReport(costs)}\n`);
    writeJson(options.json, figures);
    say(`${seconds} s in all`);
    say(faults.length === 0 ? "nothing lost" : `${faults.join("\n")}\n${harness.platform.log()}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await harness.stop();
  }
}

function tooLate(seconds: number): never {
  process.stderr.write(`The bench has not ended in ${seconds} s.\n`);
  process.exit(1);
}

/** Before anything is measured: code that runs for the first time is slow. */
const warmUpSeconds = 5;

/** Long enough for every loop of the notifier's to come round often. */
const restMs = 4_000;

/** Measures the chosen scenarios, in the order of their names. */
async function measureScenarios(harness: Harness) {
  const { options } = harness;
  const measured = new Map<ScenarioName, Measured>();
  const wants = (name: ScenarioName) => options.only.has(name);
  const keep = (name: ScenarioName, each: Measured) => {
    measured.set(name, each);
    if (each.note !== undefined) say(`  ${name}: ${each.note}`);
  };
  const measure = async (name: ScenarioName, work: () => Promise<Measured>) => {
    if (!wants(name)) return;
    say(`measuring ${name}`);
    keep(name, await work());
  };
  say("warming up");
  await startSteady(harness, "warm", harness.endpoints, warmUpSeconds).ended;
  say(restReport((await measureUsage(harness, () => untilMs(monotonicMs() + restMs))).usage));
  await measure("A", () => measureSteady(harness));
  await measure("B", () => measureSaturation(harness));
  const besideDead = (["C", "D"] as const).filter(wants);
  if (besideDead.length > 0) {
    say(`measuring ${besideDead.join(" and ")}, each in turn with A`);
    const both = await measureDeadEndpoint(harness, besideDead);
    for (const name of besideDead) {
      const each = both[name];
      if (each !== undefined) keep(name, each);
    }
  }
  await measure("E", () => measureOutage(harness));
  await measure("F", () => measureCrash(harness));
  return summary(measured);
}

/** All results; what was lost or misrouted fails the bench. */
function summary(measured: ReadonlyMap<ScenarioName, Measured>) {
  const all = [...measured];
  const figures: WebhookFigures = Object.fromEntries(
    all.map(([name, each]) => [name, each.figures]),
  );
  const costs = all.flatMap(([name, { cost }]) =>
    cost === undefined ? [] : [[name, cost] as const],
  );
  const faults = all.flatMap(([name, { figures: counted, misrouted }]) => [
    ...(counted.lost === 0 ? [] : [`${name}: ${counted.lost} events were lost`]),
    ...(misrouted === 0 ? [] : [`${name}: ${misrouted} events went to another endpoint`]),
  ]);
  return { figures, costs, faults };
}

exitOnSignals();
await runCommand((args) => {
  const options = readWebhookOptions(args);
  const { timeoutSeconds } = options.sizes;
  setTimeout(tooLate, timeoutSeconds * 1_000, timeoutSeconds).unref();
  return withBackends((backends) => bench(options, backends));
});
