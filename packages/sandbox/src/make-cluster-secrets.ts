import { createLog } from "@disburse/chassis/log.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig } from "./config.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";

/** Makes the Secret of a sandbox in a Kubernetes cluster. What is there stays: data needs it. */

/** What the manifests of deploy/k8s mount. */
const secretName = "disburse";

const log = createLog("sandbox-secrets", "info");
try {
  const cluster = openClusterSecrets(readClusterConfig());
  const stored = await cluster.read(secretName);
  // An earlier release made no keys of services.
  if (stored?.TRUSTED_KEYS === undefined) {
    await cluster.write(secretName, { ...clusterSecret(), ...stored });
    log.info({}, "secrets made");
  } else {
    log.info({}, "secrets are there already");
  }
} catch (error) {
  log.fatal({ err: error }, "secrets not made");
  process.exit(1);
}

/** All secrets by their settings; the key of each service under a name of its own. */
function clusterSecret(): Record<string, string> {
  const secrets = generateSecrets();
  const { OIDC_ISSUER: _issuer, OIDC_AUDIENCE: _audience, ...shared } = sharedSettings(secrets);
  const keys = workloads.map((workload) => {
    const { SERVICE_KEY } = ownSettings(secrets, workload);
    return [`SERVICE_KEY_${workload.toUpperCase()}`, SERVICE_KEY] as const;
  });
  return {
    ...shared,
    ISSUER_KEY: secrets.issuerKey,
    ...Object.fromEntries(keys),
  };
}
