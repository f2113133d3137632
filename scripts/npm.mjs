// Installs exactly the packages of a lockfile, with the available npm.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { passSignals, toolEnvironment } from "./foreground.mjs";
import { StartError } from "./start-error.mjs";

/** The lines of a failed install's output with the reason; npm's usage follows them. */
const shownLines = 15;

/** Three retries for a flaky network; without a network it takes some seconds. */
const fetchSettings = [
  "--fetch-retries=3",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
];

/** npm's lines, at its log level `http`, for a failed fetch. */
const failedFetch = /attempt \d+ failed with (\S+)/;

/**
 * Runs `npm ci` in a folder under the given Node and returns its output. No package needs its
 * install script, so none is run. Throws an error that says what to do.
 */
export async function installFrom(folder, { what, instead, node = process.execPath }) {
  process.stderr.write(`Installing ${what} (only when it is new) …\n`);
  const args = [
    "ci",
    "--include=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--loglevel=http",
    ...fetchSettings,
  ];
  const { code, output } = await runNpm(args, { folder, node });
  if (code === 0) return output;
  if (code === null) throw new StartError(`Installing ${what} was interrupted.`);
  if (failedFetch.test(output)) throw notReached({ what, instead, output });
  const errors = output.split("\n").filter((line) => /^npm error \S/.test(line));
  const shown = errors.slice(0, shownLines).join("\n");
  throw new StartError(
    `${shown}\n\nInstalling ${what} failed. Fix the problem and start again; or ${instead}.`,
  );
}

/** The error for packages that could not be fetched from the npm registry. */
export function notReached({ what, instead, output }) {
  const reason = failedFetch.exec(output)?.[1] ?? "no answer";
  return new StartError(
    `Installing ${what} failed: the npm registry could not be reached (${reason}).\n` +
      "Connect this machine to the network (or set npm's registry, proxy or certificates), " +
      `then start again; or ${instead}.`,
  );
}

function runNpm(args, { folder, node }) {
  const cli = npmCli();
  const [command, first] = cli === undefined ? ["npm", []] : [node, [cli]];
  return new Promise((resolve) => {
    const child = spawn(command, [...first, ...args], {
      cwd: folder,
      env: toolEnvironment(node),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stopPassing = passSignals(child);
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 1, output: `npm: ${error.message}` }));
    child.on("close", (code) => {
      stopPassing();
      resolve({ code, output });
    });
  });
}

/** npm's own script: the one that runs this, otherwise the one beside a Node or on PATH. */
function npmCli() {
  const execpath = process.env.npm_execpath;
  if (execpath?.endsWith("npm-cli.js") && existsSync(execpath)) return execpath;
  const beside = join(
    dirname(process.execPath),
    "..",
    "lib",
    "node_modules",
    "npm",
    "bin",
    "npm-cli.js",
  );
  if (existsSync(beside)) return beside;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const found = join(folder, "npm");
    if (existsSync(found) && realpathSync(found).endsWith("npm-cli.js")) return realpathSync(found);
  }
  return undefined;
}
