import { runCommand, say } from "@disburse/harness/command-line.ts";
import type { RailCase, Verdict } from "./case.ts";
import { bankCases, testBanks } from "./cases/banks.ts";
import { chainCrashes } from "./cases/chain.ts";
import { invariants } from "./cases/invariants.ts";
import { largeFiles } from "./cases/large.ts";
import { matrix } from "./cases/matrix.ts";
import { type RailOptions, readOptions } from "./options.ts";
import { startWorld, type World } from "./world.ts";

/** `npm run test:rails`: README.md says what it tries and how. */

const cases: readonly RailCase[] = [matrix, chainCrashes, ...bankCases, largeFiles, invariants];
const interruptedCode = 130;

async function runCases(options: RailOptions): Promise<number> {
  const ends = new AsyncDisposableStack();
  let ending: Promise<void> | undefined;
  const endAll = () => {
    ending ??= ends.disposeAsync();
    return ending;
  };
  // An interrupted run leaves no process behind, also where it fails meanwhile.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void endAll().finally(() => process.exit(interruptedCode)));
  }
  try {
    return await tryAll(ends, options);
  } finally {
    await endAll();
  }
}

async function tryAll(ends: AsyncDisposableStack, options: RailOptions): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let world: Promise<World> | undefined;
  const open = () => {
    world ??= startWorld(ends, testBanks(options.large));
    return world;
  };
  for (const each of cases) {
    // What always holds is looked at whatever was tried.
    const isAsked = options.only.has(each.name) || (each === invariants && world !== undefined);
    if (options.only.size > 0 && !isAsked) continue;
    say(`\n── ${each.name}: ${each.about}`);
    const startedAt = performance.now();
    for await (const verdict of each.run(open, options)) {
      counts[kindOf(verdict)] += 1;
      for (const line of linesOf(verdict)) say(line);
    }
    say(`took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
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

function linesOf(verdict: Verdict): string[] {
  const { name, problems, skipped, figures } = verdict;
  const what = skipped ?? figures;
  const line = `${words[kindOf(verdict)]} ${name}${what === undefined ? "" : `: ${what}`}`;
  return [line, ...problems.map((problem) => `         ${problem}`)];
}

await runCommand((args) => {
  const names = cases.map(({ name }) => name);
  return runCases(readOptions(args, names));
});
