import { createLog } from "@disburse/chassis/log.ts";
import { brokerConfig, brokerDefinitions, brokerPasswordsOf } from "./broker/users.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig } from "./config.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";
import { type ServiceName, serviceNames } from "./service-names.ts";

/**
 * Creates the Secrets of a sandbox in a Kubernetes cluster. Keeps existing values: stored data
 * depends on them.
 */

/**
 * This Secret has every value. Creating it is one call, so a job that dies leaves all values or
 * none. The Secrets of the services, which their pods mount, are copies of its parts.
 */
const secretName = "disburse";

type Values = Readonly<Record<string, string>>;

const log = createLog("sandbox-secrets", "info");
try {
  const cluster = openClusterSecrets(readClusterConfig());
  const writeChanged = async (name: string, stored: Values, wanted: Values): Promise<boolean> => {
    if (Object.entries(wanted).every(([key, text]) => stored[key] === text)) return false;
    await cluster.write(name, wanted);
    return true;
  };
  const stored = (await cluster.read(secretName)) ?? {};
  const wanted = withBrokerUsers({ ...clusterSecret(), ...stored });
  const written = [
    await writeChanged(secretName, stored, wanted),
    ...(await Promise.all(
      serviceNames.map(async (service) => {
        const name = `${service}-keys`;
        return writeChanged(name, (await cluster.read(name)) ?? {}, keysOf(service, wanted));
      }),
    )),
  ];
  log.info({}, written.includes(true) ? "secrets created" : "secrets already exist");
} catch (error) {
  log.fatal({ err: error }, "creating the secrets failed");
  process.exit(1);
}

/** Returns the settings that one service reads, under their own names. */
function keysOf(service: ServiceName, values: Values): Values {
  const suffix = `_${service.toUpperCase()}`;
  const own = Object.entries(values)
    .filter(([name]) => name.endsWith(suffix))
    .map(([name, text]) => [name.slice(0, -suffix.length), text]);
  const { TRUSTED_KEYS, API_KEY_PEPPER } = values;
  return {
    ...Object.fromEntries(own),
    ...(TRUSTED_KEYS !== undefined && { TRUSTED_KEYS }),
    ...(service === "gateway" && API_KEY_PEPPER !== undefined && { API_KEY_PEPPER }),
  };
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
