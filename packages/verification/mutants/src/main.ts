import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import {
  countOf,
  readArguments,
  runCommand,
  say,
  UsageError,
} from "@disburse/harness/command-line.ts";
import { createRandom } from "@disburse/harness/random.ts";
import { home, readRepository } from "@disburse/tidy/repository.ts";
import { type Source, workspaceOf } from "@disburse/tidy/source.ts";
import { isEquivalent } from "./equivalent.ts";
import { diffOf, type Mutant, mutantsOf } from "./operators.ts";
import { importersOf, relatedTests, targetFiles } from "./targets.ts";
import { copyTree, runTests, type Sandbox, tryMutant } from "./trial.ts";

/** `npm run test:mutants`: README.md says what it tries and how. */

/** The share of mutants that the tests have to find. */
const killedMin = 0.95;
/** A workspace's tests without a mutant; they have to pass. */
const baselineMs = 600_000;
/** Beside twice what the tests take without a mutant. */
const spareMs = 60_000;
const seedMax = 2 ** 31;

/** A mutant with the file that it is of. */
type Drawn = { readonly file: Source; readonly mutant: Mutant };
const titleOf = ({ mutant: { path, line, operator } }: Drawn) => `${path}:${line} ${operator}`;

async function testMutants({ seed, count, only }: ReturnType<typeof readOptions>): Promise<number> {
  const { sources } = readRepository();
  const importers = importersOf(sources);
  const all = targetFiles(sources)
    .filter(({ path }) => path.includes(only))
    .flatMap((file) => mutantsOf(file).map((mutant) => ({ file, mutant })))
    .filter(({ file, mutant }) => !isEquivalent(mutant, file));
  if (all.length === 0) throw new UsageError(`--only: no target file has ${only} in its path`);
  const drawn = createRandom(seed).shuffled(all);
  say(`seed ${seed}: ${count} of ${all.length} mutants`);
  const copy = await copyTree(home);
  process.once("exit", copy.remove);
  const shared = await startShared();
  const sandbox = { folder: copy.folder, env: shared.env };
  const times = new Map<string, number>();
  const survivors: Drawn[] = [];
  let tried = 0;
  try {
    for (const each of drawn) {
      if (tried === count) break;
      const tests = relatedTests(each.file.path, importers);
      const timeoutMs = 2 * (await baselineOf(tests, sandbox, times)) + spareMs;
      const verdict = await tryMutant(sandbox, each.mutant, tests, timeoutMs);
      if (verdict === "invalid") continue;
      tried += 1;
      if (verdict === "survived") survivors.push(each);
      say(`${tried}/${count} ${verdict} ${titleOf(each)}`);
    }
  } finally {
    await shared.stop();
  }
  return report(tried, survivors);
}

/** How long the tests' workspaces take without a mutant; each is run once, and has to pass. */
async function baselineOf(
  tests: readonly string[],
  sandbox: Sandbox,
  times: Map<string, number>,
): Promise<number> {
  let sumMs = 0;
  for (const workspace of new Set(tests.map((path) => workspaceOf({ path })))) {
    const startedAt = performance.now();
    if (!times.has(workspace)) {
      const end = await runTests(sandbox, [`${workspace}/src/`], baselineMs);
      if (end !== "passed") throw new Error(`${workspace}: tests fail without a mutant`);
      times.set(workspace, Math.round(performance.now() - startedAt));
      say(`${workspace}: its tests take ${Math.round((times.get(workspace) ?? 0) / 1_000)} s`);
    }
    sumMs += times.get(workspace) ?? 0;
  }
  return sumMs;
}

/**
 * A broker for all runs, which takes seconds to start. Each run starts an engine of its own, in a
 * folder that goes with it: tests that end early leave databases, whose files one engine would keep
 * open until there are too many.
 */
async function startShared() {
  const folder = mkdtempSync(join(tmpdir(), "disburse-mutants-data-"));
  const onExit = (how: string) => {
    throw new Error(`the broker has gone: ${how}`);
  };
  const broker = await startBroker({ dataDir: folder, onExit });
  if (broker === undefined) throw new Error("The tests need rabbitmq-server.");
  const scratch = join(folder, "runs");
  mkdirSync(scratch);
  return {
    env: { ...process.env, AMQP_URL: broker.url, TMPDIR: scratch },
    stop: async () => {
      await broker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function report(tried: number, survivors: readonly Drawn[]): number {
  for (const each of survivors)
    say(`\nsurvived ${titleOf(each)}\n${diffOf(each.file.text, each.mutant)}`);
  const killed = tried - survivors.length;
  say(`\n${killed} of ${tried} mutants killed; at least ${killedMin * 100} % have to be`);
  return killed >= tried * killedMin ? 0 : 1;
}

const usage = "usage: npm run test:mutants [-- --seed N] [--count 100] [--only PART-OF-A-PATH]";

/**
 * Reads the arguments; `anySeed` is for where none is given. The same seed draws the same mutants
 * of the same tree; `only` leaves those of files whose path has it.
 */
function readOptions(args: readonly string[], anySeed: number) {
  const options = {
    seed: { type: "string", default: String(anySeed) },
    count: { type: "string", default: "100" },
    only: { type: "string", default: "" },
  } as const;
  const values = readArguments(args, options, usage);
  const count = (option: "seed" | "count") => countOf(`--${option}`, values[option], usage);
  return { seed: count("seed"), count: count("count"), only: values.only };
}

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

await runCommand((args) => testMutants(readOptions(args, randomInt(1, seedMax))));
