import { createLog } from "@disburse/chassis/log.ts";
import { brokerConfig, brokerDefinitions, brokerPasswordsOf } from "./broker/users.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig } from "./config.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";

/** Makes the Secret of a sandbox in a Kubernetes cluster. What is there stays: data needs it. */

/** What the manifests of deploy/k8s mount. */
const secretName = "disburse";

const log = createLog("sandbox-secrets", "info");
try {
  const cluster = openClusterSecrets(readClusterConfig());
  const stored = (await cluster.read(secretName)) ?? {};
  const wanted = withBrokerUsers({ ...clusterSecret(), ...stored });
  if (Object.entries(wanted).some(([name, text]) => stored[name] !== text)) {
    await cluster.write(secretName, wanted);
    log.info({}, "secrets made");
  } else {
    log.info({}, "secrets are there already");
  }
} catch (error) {
  log.fatal({ err: error }, "secrets not made");
  process.exit(1);
}

/** All secrets by their settings. The name of a service's own secret ends in the service. */
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

/** The users of the broker, as this release wants them, with the passwords that services have. */
function withBrokerUsers(secret: Record<string, string>): Record<string, string> {
  const passwords = brokerPasswordsOf((service) => secret[`AMQP_URL_${service.toUpperCase()}`]);
  const BROKER_DEFINITIONS = JSON.stringify(brokerDefinitions(passwords));
  return { ...secret, BROKER_CONFIG: brokerConfig, BROKER_DEFINITIONS };
}
