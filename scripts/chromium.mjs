// A Chromium for the tests of pages: the installed one, or Debian's smallest package, installed
// now.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage, mayInstallPackages } from "./debian.mjs";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** Installs Chromium for the tests if possible; without it the tests of pages are skipped. */
export async function tryChromium() {
  if (process.env.CHROMIUM_PATH || isInstalled()) return;
  if (!mayInstallPackages()) {
    return skips("it is not installed; install `chromium` or set CHROMIUM_PATH");
  }
  try {
    await installPackage("chromium-headless-shell");
  } catch (error) {
    skips(`installing it failed:\n${error.message}`);
  }
}

function skips(reason) {
  process.stderr.write(`The tests that need Chromium are skipped: ${reason}\n`);
}

function isInstalled() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.some((name) => folders.some((folder) => existsSync(join(folder, name))));
}
