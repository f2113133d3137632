// A RabbitMQ for the tests: the machine's, or Debian's package installed now.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { StartError } from "./start-error.mjs";

const run = promisify(execFile);

const packagedServer = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** Debian's packages ask this script whether they may start a service; 101 means no. */
const policy = "/usr/sbin/policy-rc.d";
const setAside = `${policy}.disburse-saved`;

const aptSettings = ["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"];
const aptEnvironment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

/** Makes sure that the tests will find a RabbitMQ, or throws with the ways to provide one. */
export async function ensureRabbitmq() {
  if (process.env.AMQP_URL || isInstalled()) return;
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) {
    throw new StartError(`The tests need RabbitMQ and there is none here.\n${theWays()}`);
  }
  process.stderr.write("Installing rabbitmq-server from the distribution's packages …\n");
  try {
    await run("apt-get", [...aptSettings, "update"], { env: aptEnvironment });
    await withoutServices(installPackage);
  } catch (error) {
    const output = `${error.stdout ?? ""}${error.stderr ?? error.message}`;
    const message = `${output}\nInstalling rabbitmq-server failed.\n${theWays()}`;
    throw new StartError(message, { cause: error });
  }
}

async function installPackage() {
  const args = ["install", "-y", "--no-install-recommends", "rabbitmq-server"];
  await run("apt-get", [...aptSettings, ...args], { env: aptEnvironment });
  // Neither at the machine's next boot; where there is no systemd this is nobody's loss.
  await run("systemctl", ["--quiet", "disable", "rabbitmq-server"]).catch(() => undefined);
}

/** Does something during which packages may not start their services. */
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

function isInstalled() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = [packagedServer, ...folders.map((folder) => join(folder, "rabbitmq-server"))];
  return files.some((file) => existsSync(file));
}

function theWays() {
  return (
    "Either install rabbitmq-server 3.10 or newer (`apt-get install rabbitmq-server`, `brew " +
    "install rabbitmq`); the tests\nthen start a private node. Or set AMQP_URL to a broker " +
    "that they may use, such as amqp://guest:guest@localhost."
  );
}
