import { writeFileSync } from "node:fs";
import { type Backends, withBackends } from "../backends.ts";
import { UsageError } from "../options.ts";
import { readWebhookOptions, type WebhookBenchOptions } from "./options.ts";
import { playScenarios } from "./play.ts";
import { costReport, webhookReport } from "./report.ts";
import { startStage } from "./stage.ts";

/** `npm run bench:webhooks`: README.md tells what it measures and how. */

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function bench(options: WebhookBenchOptions, backends: Backends): Promise<number> {
  const startedAt = performance.now();
  const stage = await startStage(backends, options, say);
  try {
    const { figures, costs, faults } = await playScenarios(stage);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`\n${webhookReport(figures)}\n`);
    if (costs.length > 0) say(`${costReport(costs)}\n`);
    if (options.json !== undefined) {
      writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
    }
    say(`${seconds} s in all`);
    say(faults.length === 0 ? "nothing lost" : `${faults.join("\n")}\n${stage.platform.log()}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await stage.stop();
  }
}

function tooLate(seconds: number): never {
  process.stderr.write(`The bench has not ended in ${seconds} s.\n`);
  process.exit(1);
}

// All that was started ends when this process does.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  const options = readWebhookOptions(process.argv.slice(2));
  const { timeoutSeconds } = options.sizes;
  setTimeout(tooLate, timeoutSeconds * 1_000, timeoutSeconds).unref();
  process.exitCode = await withBackends((backends) => bench(options, backends));
} catch (error) {
  const known = error instanceof UsageError;
  process.stderr.write(`${known ? error.message : `The bench failed: ${error}`}\n`);
  process.exitCode = 1;
}
