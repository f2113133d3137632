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
 * Writes a sandbox's secrets to files of settings: what all services share to one, and to a file in
 * a folder of each service what it has for itself; its certificate beside it, and their authority
 * beside the first; and to a folder of the broker, as RabbitMQ reads them, its users. A file that is
 * there stays: data needs it. Certificates are made anew before they end.
 */

const [path, keysFolder, brokerFolder] = process.argv.slice(2);
if (path === undefined || keysFolder === undefined || brokerFolder === undefined) {
  throw new Error("usage: make-secrets.ts FILE KEYS-FOLDER BROKER-FOLDER");
}

type Settings = Readonly<Record<string, string | undefined>>;

/** The settings of a file; writes it where it is not there, or not to be kept. */
const keep = (file: string, settings: Settings, isKept: boolean): Settings => {
  if (isKept && existsSync(file)) return parseEnv(readFileSync(file, "utf8"));
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileAtomically(file, lines.join(""));
  return settings;
};

const secrets = generateSecrets();
const ownFile = (workload: string): string => join(keysFolder, workload, "sandbox.env");
// The public keys of all are written last: without them a run was killed, and all are made anew.
const isMade = existsSync(path);
const own = workloads.map((workload) => {
  const file = ownFile(workload);
  return [workload, keep(file, ownSettings(secrets, workload), isMade)] as const;
});
keep(path, sharedSettings(secrets), isMade);
const { TRUST_DOMAIN: trustDomain } = readSecretsConfig();
const caFile = join(dirname(path), "ca.crt");
await makeCertificates({ caFile, keysFolder, trustDomain }, workloads);

const urls = Object.fromEntries(own.map(([workload, { AMQP_URL }]) => [workload, AMQP_URL]));
const passwords = brokerPasswordsOf((service) => urls[service]);
if (Object.keys(passwords).length < brokerServices.length)
  throw new Error("a broker's user is missing");
/** The broker runs as another user; there is nothing in it by which a password could be found. */
const readableByAll = 0o644;
const definitions = join(brokerFolder, "definitions.json");
writeFileAtomically(definitions, JSON.stringify(brokerDefinitions(passwords)), readableByAll);
writeFileAtomically(join(brokerFolder, "disburse.conf"), brokerConfig, readableByAll);
