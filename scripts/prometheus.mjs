// Prometheus and promtool for the tests of alert rules: the installed ones, or Debian's, installed
// now.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage, mayInstallPackages } from "./debian.mjs";

const names = ["prometheus", "promtool"];

/** Installs Prometheus for the tests if possible; without it the tests of rules are skipped. */
export async function tryPrometheus() {
  if (names.every(isInstalled)) return;
  if (!mayInstallPackages()) return skips("it is not installed; install `prometheus`");
  try {
    await installPackage("prometheus", { service: "prometheus" });
  } catch (error) {
    skips(`installing it failed:\n${error.message}`);
  }
}

function skips(reason) {
  process.stderr.write(`The tests that need Prometheus are skipped: ${reason}\n`);
}

function isInstalled(name) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}
