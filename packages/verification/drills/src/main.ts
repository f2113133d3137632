import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneOf, readArguments, runCommand, say } from "@disburse/harness/command-line.ts";
import { losses } from "./losses/all.ts";
import { startDrillPlatform } from "./platform.ts";
import { runDrill } from "./restore.ts";

/** `npm run drill:restore`: README.md says what it does and how. */

const names = losses.map(({ service }) => service);
const usage = `usage: npm run drill:restore [-- --only ${names.join("|")}]`;

async function main(args: readonly string[]): Promise<number> {
  const { only } = readArguments(args, { only: { type: "string" } }, usage);
  const chosen = only === undefined ? names : [oneOf(names, only, usage)];
  const folder = mkdtempSync(join(tmpdir(), "disburse-drill-"));
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void ends.disposeAsync().finally(() => process.exit(1)));
  }
  const platform = await startDrillPlatform(folder);
  ends.defer(platform.stop);
  let failed = 0;
  for (const drill of losses.filter(({ service }) => chosen.includes(service))) {
    const problems = await runDrill(platform, drill);
    failed += problems.length === 0 ? 0 : 1;
    for (const problem of problems) say(`FAILED ${problem}`);
  }
  say(`\n${chosen.length - failed} recovered, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

await runCommand(main);
