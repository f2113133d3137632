// An OpenSSH server for the tests of bank files: the installed one, or Debian's, installed now.
import { existsSync } from "node:fs";
import { installPackage, mayInstallPackages } from "./debian.mjs";

/** Installs an OpenSSH server for the tests if possible; without it they are skipped. */
export async function tryOpenSsh() {
  if (existsSync("/usr/sbin/sshd")) return;
  if (!mayInstallPackages()) return skips("it is not installed; install `openssh-server`");
  try {
    await installPackage("openssh-server", { service: "ssh" });
  } catch (error) {
    skips(`installing it failed:\n${error.message}`);
  }
}

function skips(reason) {
  process.stderr.write(`Tests and demos that need an OpenSSH server are skipped: ${reason}\n`);
}
