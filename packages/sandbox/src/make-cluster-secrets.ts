import { createLog } from "@disburse/chassis/log.ts";
import { brokerConfig, brokerDefinitions, brokerPasswordsOf } from "./broker/users.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig } from "./config.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";

/**
 * Creates the Secret of a sandbox in a Kubernetes cluster. Keeps existing values: stored data
 * depends on them.
 */

/** The manifests in deploy/k8s mount this Secret. */
const secretName = "disburse";

const log = createLog("sandbox-secrets", "info");
try {
  const cluster = openClusterSecrets(readClusterConfig());
  const stored = (await cluster.read(secretName)) ?? {};
  const wanted = withBrokerUsers({ ...clusterSecret(), ...stored });
  if (Object.entries(wanted).some(([name, text]) => stored[name] !== text)) {
    await cluster.write(secretName, wanted);
    log.info({}, "secrets created");
  } else {
    log.info({}, "secrets already exist");
  }
} catch (error) {
  log.fatal({ err: error }, "creating the secrets failed");
  process.exit(1);
}

/** Returns all secrets by setting. A service's own secret ends in the service's name. */
function clusterSecret(): Record<string, string> {
  const secrets = generateSecrets();
  const { OIDC_ISSUER: _issuer, OIDC_AUDIENCE: _audience, ...shared } = sharedSettings(secrets);
  const own = workloads.flatMap((workload) => {
    const { ISSUER_KEY: _issuer, ...settings } = ownSettings(secrets, workload);
    return Object.entries(settings).map(([name, text]) => {
      return [`${name}_${workload.toUpperCase()}`, text] as const;
    });
  });
  return {
    ...shared,
    ISSUER_KEY: secrets.issuerKey,
    ...Object.fromEntries(own),
  };
}

/** Updates the broker's users to this release, and keeps the services' passwords. */
function withBrokerUsers(secret: Record<string, string>): Record<string, string> {
  const passwords = brokerPasswordsOf((service) => secret[`AMQP_URL_${service.toUpperCase()}`]);
  const BROKER_DEFINITIONS = JSON.stringify(brokerDefinitions(passwords));
  return { ...secret, BROKER_CONFIG: brokerConfig, BROKER_DEFINITIONS };
}
