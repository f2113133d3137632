import { randomBytes } from "node:crypto";
import {
  generateServiceKey,
  readServiceKey,
  trustedKeysText,
} from "@disburse/chassis/identity/keys.ts";
import { type ClientIdentity, serviceIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { z } from "zod";
import {
  type BrokerPasswords,
  brokerServices,
  brokerUrlOf,
  generateBrokerPasswords,
} from "./broker/users.ts";
import { generateIssuerKey, issuerSettings } from "./people.ts";
import { type ServiceName, serviceNames } from "./service-names.ts";

/** The secrets of one deployment. */
export type Secrets = {
  /** A ring of each service that seals. */
  readonly encryptionKeys: Readonly<Record<string, string>>;
  readonly apiKeyPepper: string;
  /** The private key of each service, and of the job that creates the sandbox. */
  readonly serviceKeys: Readonly<Record<Workload, string>>;
  /** The public keys of all of them; no secret. */
  readonly trustedKeys: string;
  /** Signs the tokens of the sandbox's persons. */
  readonly issuerKey: string;
  /** Of the users of the broker. */
  readonly brokerPasswords: BrokerPasswords;
};

/** What has a key of its own: the services, and the job that creates the sandbox. */
export type Workload = ServiceName | "sandbox";

/** What has a key of its own. */
export const workloads: readonly Workload[] = [...serviceNames, "sandbox"];

/** The services that seal. */
export const sealingServices = ["beneficiary", "compliance", "gateway", "notifier"] as const;

/** Payout seals where rails of banks are configured: what `npm start` may be given. */
const ringed = [...sealingServices, "payout"] as const;

/** The ring of a service; `undefined` of one that seals nothing. */
export function encryptionKeysOf({ encryptionKeys }: Secrets, workload: Workload) {
  return encryptionKeys[workload];
}

/** All symmetric secrets have 256 bits. */
const secretBytes = 32;

/** New random secrets. */
export function generateSecrets(): Secrets {
  const keys = workloads.map((name) => [name, generateServiceKey(name)] as const);
  const privateTexts = keys.map(([name, { privateText }]) => [name, privateText]);
  return {
    encryptionKeys: Object.fromEntries(
      ringed.map((name) => [name, `k1:${randomBytes(secretBytes).toString("base64")}`]),
    ),
    apiKeyPepper: `p1:${randomBytes(secretBytes).toString("base64")}`,
    serviceKeys: Object.fromEntries(privateTexts) as Secrets["serviceKeys"],
    trustedKeys: trustedKeysText(keys.map(([, { publicJwk }]) => publicJwk)),
    issuerKey: generateIssuerKey(),
    brokerPasswords: generateBrokerPasswords(),
  };
}

const textOf = (names: readonly string[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
/** `k2:BASE64,k1:BASE64`: the versions of a secret. */
const versions = z.string().regex(/^[a-z][0-9]+:[^,]+(,[a-z][0-9]+:[^,]+)*$/);
const storedSecrets = z.object({
  encryptionKeys: z.object(Object.fromEntries(ringed.map((name) => [name, versions]))),
  apiKeyPepper: versions,
  serviceKeys: textOf(workloads),
  trustedKeys: z.string(),
  issuerKey: z.string(),
  brokerPasswords: textOf(brokerServices),
});

/** True if a stored value has every secret, in the form of `generateSecrets`. */
export function isSecrets(value: unknown): value is Secrets {
  return storedSecrets.safeParse(value).success;
}

/** The trust domain of a sandbox, the default of `TRUST_DOMAIN`. */
const trustDomain = "disburse";

/** The identity of the job that creates the sandbox. */
export function sandboxIdentity({ serviceKeys }: Secrets): ClientIdentity {
  return serviceIdentity(readServiceKey(serviceKeys.sandbox), trustDomain);
}

/** The settings that all services of a sandbox share, and the job that creates it. */
export function sharedSettings(secrets: Secrets) {
  return {
    API_KEY_PEPPER: secrets.apiKeyPepper,
    TRUSTED_KEYS: secrets.trustedKeys,
    ...issuerSettings(secrets.issuerKey),
  };
}

/** By the names of settings. */
type OwnSettings = {
  readonly SERVICE_KEY: string;
  readonly ISSUER_KEY?: string;
  readonly AMQP_URL?: string;
  readonly ENCRYPTION_KEYS?: string;
};

/** Where containers find the broker. */
const containerBroker = "amqp://rabbitmq:5672";

/** The settings that a service of a sandbox, or the job that creates it, has for itself. */
export function ownSettings(secrets: Secrets, workload: Workload): OwnSettings {
  const { serviceKeys, issuerKey, brokerPasswords, encryptionKeys } = secrets;
  const SERVICE_KEY = serviceKeys[workload];
  if (workload === "sandbox") return { SERVICE_KEY, ISSUER_KEY: issuerKey };
  const isSealing = sealingServices.some((name) => name === workload);
  const ring = isSealing ? encryptionKeys[workload] : undefined;
  const own = { SERVICE_KEY, ...(ring !== undefined && { ENCRYPTION_KEYS: ring }) };
  if (!brokerServices.includes(workload)) return own;
  return { ...own, AMQP_URL: brokerUrlOf(containerBroker, workload, brokerPasswords) };
}
