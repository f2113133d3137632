import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { openTls } from "@disburse/chassis/identity/open-tls.ts";
import { serviceIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { waitUntilServing } from "./clients.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig, readConfig } from "./config.ts";
import { createSandbox } from "./sandbox-file.ts";
import { eachService, type ServiceName, serviceNames } from "./service-names.ts";

/** Creates the sandbox in running services and writes `sandbox.json`. */

/** Allows six services to start on a small machine. */
const startTimeoutMs = 120_000;

async function createFromSettings(): Promise<void> {
  const config = readConfig();
  const { SANDBOX_FILE: path, BASE_URL: baseUrl, ISSUER_KEY: issuerKey } = config;
  const identity = serviceIdentity(config.SERVICE_KEY, config.TRUST_DOMAIN);
  const urlOf = (name: ServiceName) =>
    config[`${name.toUpperCase() as Uppercase<typeof name>}_URL`];
  const grpc = eachService(urlOf);
  const tls = openTls("sandbox", config, log);
  const waits = serviceNames.map((peer) =>
    waitUntilServing(grpc[peer], startTimeoutMs, tls && { tls, peer }),
  );
  await Promise.all(waits);
  const kept = keptInCluster(config.SANDBOX_SECRET, path);
  await kept?.fetch();
  await createSandbox({ baseUrl, grpc, identity, tls, issuerKey, path });
  tls?.stop();
  await kept?.store();
}

/** Stores the file as a Secret, since a Kubernetes job's disk is temporary. */
function keptInCluster(name: string | undefined, path: string) {
  if (name === undefined) return undefined;
  const secrets = openClusterSecrets(readClusterConfig());
  const key = basename(path);
  return {
    fetch: async () => {
      const text = (await secrets.read(name))?.[key];
      if (text !== undefined) writeFileAtomically(path, text);
    },
    store: () => secrets.write(name, { [key]: readFileSync(path, "utf8") }),
  };
}

const log = createLog("sandbox", "info");
try {
  await createFromSettings();
  log.info({}, "sandbox ready");
} catch (error) {
  log.fatal({ err: error }, "creating the sandbox's data failed");
  process.exit(1);
}
