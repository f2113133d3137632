import { writeFileSync } from "node:fs";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { type Backends, withBackends } from "../backends.ts";
import { readWebhookOptions, type WebhookBenchOptions } from "./options.ts";
import { playScenarios } from "./play.ts";
import { costReport, webhookReport } from "./report.ts";
import { startStage } from "./stage.ts";

/** `npm run bench:webhooks`: README.md tells what it measures and how. */

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

await runCommand((args) => {
  const options = readWebhookOptions(args);
  const { timeoutSeconds } = options.sizes;
  setTimeout(tooLate, timeoutSeconds * 1_000, timeoutSeconds).unref();
  return withBackends((backends) => bench(options, backends));
});
