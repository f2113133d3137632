// Programs that some tests run, such as promtool: the installed ones, or Debian's, installed now.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage, mayInstallPackages } from "./debian.mjs";

/** Installs a package for its programs if possible; without them their tests are skipped. */
export async function tryPackage(name, programs) {
  if (programs.every(isInstalled)) return;
  if (!mayInstallPackages()) return skips(name, `it is not installed; install \`${name}\``);
  try {
    await installPackage(name, { service: name });
  } catch (error) {
    skips(name, `installing it failed:\n${error.message}`);
  }
}

function skips(name, reason) {
  process.stderr.write(`The tests that need ${name} are skipped: ${reason}\n`);
}

function isInstalled(name) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}
