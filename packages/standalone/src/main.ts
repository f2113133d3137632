import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { banner } from "./banner.ts";
import { type Standalone, startStandalone } from "./start.ts";

/** `npm start`: the whole platform on this machine, until it is told to stop. */

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

const databases = {
  embedded: "embedded engine",
  mongod: "mongod of this machine",
  external: "MONGODB_URI",
} as const satisfies Record<Standalone["engineKind"], string>;

const brokers = {
  private: "private RabbitMQ node",
  external: "RabbitMQ at AMQP_URL",
  "in process": "handed over in process (no RabbitMQ on this machine)",
} as const satisfies Record<Standalone["brokerKind"], string>;

function fail(message: string): never {
  process.stderr.write(`\nDisburse cannot go on: ${message}\n`);
  process.exit(1);
}

/**
 * What to do about a start that failed, in a sentence; the error itself where it says so already.
 */
function advice(error: unknown): string {
  const { code, port, message } = error as { code?: string; port?: number; message: string };
  if (code === "EADDRINUSE") {
    return `port ${port} is in use. Stop what listens there, or choose another: PORT=8081 npm start`;
  }
  if (code === "EACCES" && port !== undefined) {
    return `port ${port} may not be used by this user. Choose another: PORT=8081 npm start`;
  }
  if (error instanceof SettingsError) return message;
  return message ?? String(error);
}

const starting = startStandalone(process.env, root, fail);

let stopping = false;
function stop(): void {
  if (stopping) process.exit(1);
  stopping = true;
  starting
    .then((standalone) => standalone.stop())
    .then(
      () => process.exit(0),
      (error: unknown) => fail(advice(error)),
    );
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

try {
  const { sandbox, sandboxPath, engineKind, brokerKind } = await starting;
  const parts = { database: databases[engineKind], broker: brokers[brokerKind] };
  process.stdout.write(banner({ sandbox, sandboxPath, ...parts }));
  process.stdout.write(`\nready ${sandbox.base_url}\n`);
} catch (error) {
  if (!stopping) fail(advice(error));
}
