import { runCommand, say } from "@disburse/harness/command-line.ts";
import type { OperateCase, Verdict } from "./case.ts";
import { alertsCase } from "./cases/alerts.ts";
import { replicasCase } from "./cases/replicas.ts";
import { restoreCase } from "./cases/restore.ts";
import { type OperateOptions, readOptions } from "./options.ts";

/** `npm run test:operate`: README.md says what it tries and how. */

const cases: readonly OperateCase[] = [replicasCase, restoreCase, alertsCase];

async function runCases({ only, parts }: OperateOptions): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const each of cases) {
    if (only.size > 0 && !only.has(each.name)) continue;
    say(`\n── ${each.name}: ${each.about}`);
    for await (const verdict of each.run(parts)) {
      counts[kindOf(verdict)] += 1;
      say(lineOf(each.name, verdict));
    }
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  say(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return counts.failed === 0 ? 0 : 1;
}

function kindOf({ problems, skipped }: Verdict): "passed" | "failed" | "skipped" {
  if (skipped !== undefined) return "skipped";
  return problems.length === 0 ? "passed" : "failed";
}

const words = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" };

function lineOf(of: string, verdict: Verdict): string {
  const { name, problems, skipped, figures = "" } = verdict;
  const why = skipped ?? (problems.length === 0 ? figures : problems.join("; "));
  return `${words[kindOf(verdict)]} ${of}: ${name}${why === "" ? "" : `: ${why}`}`;
}

await runCommand((args) => {
  const names = cases.map(({ name }) => name);
  return runCases(readOptions(args, names));
});
