import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { writeFileAtomically } from "./atomic-file.ts";
import {
  brokerConfig,
  brokerDefinitions,
  brokerPasswordsOf,
  brokerServices,
} from "./broker/users.ts";
import { makeCertificates } from "./certificates/files.ts";
import { readSecretsConfig } from "./config.ts";
import { generateSecrets, ownSettings, sharedSettings, workloads } from "./secrets.ts";

/**
 * Writes a sandbox's secrets to settings files. All services share one file, and each service's
 * folder has another one. The service's certificate is in the same folder as its file. The
 * certificate authority is in the same folder as the shared file. The broker's folder gets the
 * broker's users in RabbitMQ's format. Existing files are kept, because stored data depends on
 * them. Certificates are renewed before they expire.
 */

const [path, keysFolder, brokerFolder] = process.argv.slice(2);
if (path === undefined || keysFolder === undefined || brokerFolder === undefined) {
  throw new Error("usage: make-secrets.ts FILE KEYS-FOLDER BROKER-FOLDER");
}

type Settings = Readonly<Record<string, string | undefined>>;

/** Returns the file's settings. Writes the file if it is missing or outdated. */
const keep = (file: string, settings: Settings, isKept: boolean): Settings => {
  if (isKept && existsSync(file)) return parseEnv(readFileSync(file, "utf8"));
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileAtomically(file, lines.join(""));
  return settings;
};

const secrets = generateSecrets();
const ownFile = (workload: string): string => join(keysFolder, workload, "sandbox.env");
// The public keys are written last. If they are missing, an earlier run was killed, so all keys are
// created again.
const areKeysComplete = existsSync(path);
const own = workloads.map((workload) => {
  const file = ownFile(workload);
  return [workload, keep(file, ownSettings(secrets, workload), areKeysComplete)] as const;
});
keep(path, sharedSettings(secrets), areKeysComplete);
const { TRUST_DOMAIN: trustDomain } = readSecretsConfig();
const caFile = join(dirname(path), "ca.crt");
await makeCertificates({ caFile, keysFolder, trustDomain }, workloads);

const urls = Object.fromEntries(own.map(([workload, { AMQP_URL }]) => [workload, AMQP_URL]));
const passwords = brokerPasswordsOf((service) => urls[service]);
if (Object.keys(passwords).length < brokerServices.length)
  throw new Error("the AMQP_URL of a service names no user of the message broker");
/**
 * Readable by all, because the broker runs as another user. The files contain only salted hashes of
 * random passwords.
 */
const readableByAll = 0o644;
const definitions = join(brokerFolder, "definitions.json");
writeFileAtomically(definitions, JSON.stringify(brokerDefinitions(passwords)), readableByAll);
writeFileAtomically(join(brokerFolder, "disburse.conf"), brokerConfig, readableByAll);
