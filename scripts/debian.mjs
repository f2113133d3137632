// Installs packages of the distribution, if this is Debian and the user has the rights.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Debian's packages run this script before they start a service; 101 forbids it. */
const policy = "/usr/sbin/policy-rc.d";
const setAside = `${policy}.disburse-saved`;

const settings = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"];
const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

/** True on Debian and its derivatives, with the right to install packages. */
export function mayInstallPackages() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

/**
 * Installs a package without letting it start services, now or at the machine's next boot. Throws
 * an error with apt's message.
 */
export async function installPackage(name, { service } = {}) {
  process.stderr.write(`Installing ${name} from the distribution's packages …\n`);
  try {
    await run("apt-get", [...settings, "update"], { env });
    await withoutServices(async () => {
      const args = ["install", "-y", "--no-install-recommends", name];
      await run("apt-get", [...settings, ...args], { env });
    });
  } catch (error) {
    throw new Error(`${error.stdout ?? ""}${error.stderr ?? error.message}`, { cause: error });
  }
  if (service === undefined) return;
  // Without systemd there is nothing to disable.
  await run("systemctl", ["--quiet", "disable", service]).catch(() => undefined);
}

async function withoutServices(action) {
  const had = existsSync(policy);
  if (had) renameSync(policy, setAside);
  const restore = () => {
    rmSync(policy, { force: true });
    if (had) renameSync(setAside, policy);
  };
  const restoreAndEnd = () => {
    restore();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, restoreAndEnd);
  try {
    writeFileSync(policy, "#!/bin/sh\nexit 101\n");
    chmodSync(policy, 0o755);
    await action();
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, restoreAndEnd);
    restore();
  }
}
