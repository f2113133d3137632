// A RabbitMQ for tests and bench: the installed one, or Debian's package, installed now.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage, mayInstallPackages } from "./debian.mjs";
import { StartError } from "./start-error.mjs";

const packagedServer = "/usr/lib/rabbitmq/bin/rabbitmq-server";

const instructions =
  "Either install rabbitmq-server 3.10 or newer (`apt-get install rabbitmq-server` or `brew " +
  "install rabbitmq`); this\ncommand then starts a private node. Or set AMQP_URL to a broker, " +
  "such as amqp://guest:guest@localhost.";

/** Installs RabbitMQ if it is missing, or throws an error that says what to do. */
export async function ensureRabbitmq() {
  if (process.env.AMQP_URL || isInstalled()) return;
  if (!mayInstallPackages()) {
    throw new StartError(
      `This command needs RabbitMQ, which is not installed here.\n${instructions}`,
    );
  }
  try {
    await installPackage("rabbitmq-server", { service: "rabbitmq-server" });
  } catch (error) {
    const message = `${error.message}\nInstalling rabbitmq-server failed.\n${instructions}`;
    throw new StartError(message, { cause: error });
  }
}

/** Installs RabbitMQ if possible, for nodes of the command's own; without it tests are skipped. */
export async function tryRabbitmq() {
  if (isInstalled()) return;
  try {
    if (!mayInstallPackages()) throw new Error("it is not installed; install `rabbitmq-server`");
    await installPackage("rabbitmq-server", { service: "rabbitmq-server" });
  } catch (error) {
    process.stderr.write(`Tests that need a RabbitMQ cluster are skipped: ${error.message}\n`);
  }
}

function isInstalled() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = [packagedServer, ...folders.map((folder) => join(folder, "rabbitmq-server"))];
  return files.some((file) => existsSync(file));
}
