import { existsSync, readFileSync } from "node:fs";
import { createLog } from "@disburse/chassis/log.ts";
import { type ServiceUrls, untilServing, withSandboxClients } from "./clients.ts";
import { readConfig } from "./config.ts";
import { listedParties, riskyWallets } from "./sandbox-list.ts";
import { type SandboxClients, type SandboxMerchants, seedSandbox } from "./seed.ts";
import { writeWhole } from "./whole-file.ts";

/** Makes the sandbox in services that run elsewhere, and says in a file what it holds. */

/** Six services that start on a small machine. */
const startTimeoutMs = 120_000;

/** The merchants of the file's sandbox, unless the gateway knows no key of theirs. */
async function knownMerchants(
  { keys }: SandboxClients,
  path: string,
): Promise<SandboxMerchants | undefined> {
  if (!existsSync(path)) return undefined;
  const { merchants } = JSON.parse(readFileSync(path, "utf8")) as { merchants: SandboxMerchants };
  // The volume of the file may have outlived that of the database.
  const known = await keys.listKeys({ merchantId: merchants.acme.merchant_id });
  return known.keys.length === 0 ? undefined : merchants;
}

async function makeSandbox(): Promise<void> {
  const config = readConfig();
  const { SERVICE_TOKEN: token, SANDBOX_FILE: path } = config;
  const grpc: ServiceUrls = {
    beneficiary: config.BENEFICIARY_URL,
    compliance: config.COMPLIANCE_URL,
    quote: config.QUOTE_URL,
    payout: config.PAYOUT_URL,
    notifier: config.NOTIFIER_URL,
    gateway: config.GATEWAY_URL,
  };
  await Promise.all(Object.values(grpc).map((url) => untilServing(url, token, startTimeoutMs)));
  const seeded = await withSandboxClients(grpc, token, async (clients) =>
    seedSandbox(clients, await knownMerchants(clients, path)),
  );
  const sandbox = {
    base_url: config.BASE_URL,
    ...seeded,
    grpc,
    grpc_token: token,
    risky_wallets: riskyWallets,
    listed_parties: listedParties,
  };
  writeWhole(path, `${JSON.stringify(sandbox, null, 2)}\n`);
}

const log = createLog("sandbox", "info");
try {
  await makeSandbox();
  log.info({}, "sandbox ready");
} catch (error) {
  log.fatal({ err: error }, "sandbox not made");
  process.exit(1);
}
