import { createLog } from "@disburse/chassis/log.ts";
import { waitUntilServing } from "./clients.ts";
import { readConfig } from "./config.ts";
import { eachService, type ServiceName } from "./environments.ts";
import { createSandbox } from "./sandbox-file.ts";

/** Creates the sandbox in running services, and writes a file of what it holds. */

/** For six services on a small machine. */
const startTimeoutMs = 120_000;

async function createFromSettings(): Promise<void> {
  const config = readConfig();
  const { SERVICE_TOKEN: serviceToken, SANDBOX_FILE: path, BASE_URL: baseUrl } = config;
  const urlOf = (name: ServiceName) =>
    config[`${name.toUpperCase() as Uppercase<typeof name>}_URL`];
  const grpc = eachService(urlOf);
  const urls = Object.values(grpc);
  await Promise.all(urls.map((url) => waitUntilServing(url, serviceToken, startTimeoutMs)));
  await createSandbox({ baseUrl, grpc, serviceToken, path });
}

const log = createLog("sandbox", "info");
try {
  await createFromSettings();
  log.info({}, "sandbox ready");
} catch (error) {
  log.fatal({ err: error }, "sandbox not made");
  process.exit(1);
}
