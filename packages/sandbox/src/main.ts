import { createLog } from "@disburse/chassis/log.ts";
import { type ServiceUrls, waitUntilServing } from "./clients.ts";
import { readConfig } from "./config.ts";
import { createSandbox } from "./sandbox-file.ts";

/** Creates the sandbox in running services, and writes a file of what it holds. */

/** For six services on a small machine. */
const startTimeoutMs = 120_000;

async function createFromSettings(): Promise<void> {
  const config = readConfig();
  const { SERVICE_TOKEN: serviceToken, SANDBOX_FILE: path, BASE_URL: baseUrl } = config;
  const grpc: ServiceUrls = {
    beneficiary: config.BENEFICIARY_URL,
    compliance: config.COMPLIANCE_URL,
    quote: config.QUOTE_URL,
    payout: config.PAYOUT_URL,
    notifier: config.NOTIFIER_URL,
    gateway: config.GATEWAY_URL,
  };
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
