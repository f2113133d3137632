// Runs scenarios from a fresh clone: `node scripts/scenarios.mjs PROJECT [OPTION...]` starts Vitest
// on a project of vitest.scenarios.config.ts. Scenarios read `--kills 60` from SCENARIO_KILLS. The
// last line counts: `N passed, M failed`, and `, K skipped` if there are any.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { tryConsole } from "./console.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { tryKubectl } from "./kubectl.mjs";
import { tryMongod } from "./mongod.mjs";
import { ensureNode } from "./node.mjs";
import { tryOpenSsh } from "./openssh.mjs";
import { tryRabbitmq } from "./rabbitmq.mjs";
import { withScratchFolder } from "./scratch-folder.mjs";
import { runMain } from "./start-error.mjs";
import { countsLine, runVitest } from "./vitest.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The projects of each command, their options and preparations. */
const commands = {
  cluster: { parts: true, texts: ["crds"], prepare: tryKubectl },
  console: {
    texts: ["screenshots", "sandbox"],
    prepare: async (node) => {
      await tryConsole(root, node);
      await runNode(node, [fileURLToPath(new URL("docs.mjs", import.meta.url))]);
    },
  },
  drills: {},
  engines: {
    counts: ["seed", "slack"],
    texts: ["mongod", "folder"],
    last: "invariants",
    prepare: async () => {
      await tryRabbitmq();
      await tryMongod();
    },
  },
  faults: { counts: ["kills", "seeds", "seed", "races", "per-point"] },
  operate: { parts: true, counts: ["slack"], texts: ["from"] },
  // The invariants are checked after every selection of cases.
  rails: { counts: ["per-gap", "large", "seed"], last: "invariants", prepare: tryOpenSsh },
};

const usageCode = 2;

class UsageError extends Error {}

/** The options of a command, all texts; `--only` and `--part` can be given several times. */
function readOptions({ counts = [], texts = [], parts = false }, args) {
  const many = { type: "string", multiple: true };
  const singles = [...counts, ...texts].map((name) => [name, { type: "string" }]);
  const options = { only: many, ...(parts && { part: many }), ...Object.fromEntries(singles) };
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new UsageError(error.message, { cause: error });
  }
  const { only = [], part = [], ...settings } = values;
  for (const name of [...only, ...part]) {
    if (!/^[\w-]+$/.test(name)) throw new UsageError(`"${name}" is not a name`);
  }
  for (const name of counts.filter((each) => each in settings)) {
    if (/^[1-9]\d{0,8}$/.test(settings[name])) continue;
    throw new UsageError(`--${name} must be a whole number above zero`);
  }
  return { only, part, settings };
}

function usageOf({ counts = [], texts = [], parts = false }) {
  const given = [
    ...counts.map((name) => `--${name} COUNT`),
    ...texts.map((name) => `--${name} TEXT`),
  ];
  const all = ["--only NAME", ...(parts ? ["--part NAME"] : []), ...given];
  return `usage: npm run ${process.env.npm_lifecycle_event} -- ${all.map((each) => `[${each}]`).join(" ")}`;
}

/**
 * Matches the full name of a chosen test: the name of its group, if it has one, and its own. Vitest
 * puts " > " between them where it filters, and a space where it reports.
 */
function patternOf(only, part) {
  const one = (names) => (names.length === 0 ? "[\\w-]+" : `(?:${names.join("|")})`);
  return part.length === 0 ? `^${one(only)}(?:[ :]|$)` : `^${one(only)}(?: >)? ${one(part)}$`;
}

function environmentOf(settings, folder) {
  const entries = Object.entries(settings).map(([name, value]) => [
    `SCENARIO_${name.replaceAll("-", "_").toUpperCase()}`,
    value,
  ]);
  return { ...Object.fromEntries(entries), TMPDIR: folder };
}

await runMain(async () => {
  const [name, ...args] = process.argv.slice(2);
  const command = commands[name];
  let options;
  try {
    options = readOptions(command, args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf(command)}\n`);
    return usageCode;
  }
  const node = await ensureNode();
  await ensureDependencies(root, node);
  const { only, part, settings } = options;
  const { last, prepare } = command;
  const prepared = await prepare?.(node);
  // Interrupted: there is nothing to continue with.
  if (prepared > 128) return prepared;
  const pattern = patternOf(only.length === 0 || last === undefined ? only : [...only, last], part);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const known = [];
  const code = await withScratchFolder("disburse-scenarios-", (folder) => {
    const shown = ["--reporter=verbose", "--hideSkippedTests", "--disableConsoleIntercept"];
    const config = ["--config=vitest.scenarios.config.ts", `--project=${name}`, ...shown];
    return runVitest(node, [...config, `--testNamePattern=${pattern}`], counts, {
      isChosen: (fullName) => {
        known.push(fullName);
        return new RegExp(pattern).test(fullName);
      },
      env: environmentOf(settings, folder),
    });
  });
  // Interrupted: nothing is counted.
  if (code > 128) return code;
  const names = (tried) => known.some((fullName) => new RegExp(tried).test(fullName));
  const unknown = [
    ...only.filter((each) => !names(patternOf([each], []))),
    ...part.filter((each) => !names(patternOf(only, [each]))),
  ];
  // Without a report the results are unknown, and the run has failed.
  if (known.length > 0 && unknown.length > 0) {
    process.stderr.write(`No scenario has this name: ${unknown.join(", ")}.\n`);
    return usageCode;
  }
  process.stdout.write(countsLine(counts));
  return counts.failed === 0 ? 0 : 1;
});
