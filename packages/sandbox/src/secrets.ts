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

export type Secrets = {
  /** A key ring for each service that encrypts data. */
  readonly encryptionKeys: Readonly<Record<string, string>>;
  readonly apiKeyPepper: string;
  /** Private keys of the services and of the job that creates the sandbox. */
  readonly serviceKeys: Readonly<Record<Workload, string>>;
  /** The public keys, which are not secret. */
  readonly trustedKeys: string;
  readonly issuerKey: string;
  readonly brokerPasswords: BrokerPasswords;
};

/** A process with a key of its own: a service, or the job that creates the sandbox. */
export type Workload = ServiceName | "sandbox";

export const workloads: readonly Workload[] = [...serviceNames, "sandbox"];

/** The services that always encrypt data. */
export const sealingServices = ["beneficiary", "compliance", "gateway", "notifier"] as const;

/** Payout also needs a key ring, because `npm start` may configure it with bank rails. */
const ringed = [...sealingServices, "payout"] as const;

/** Returns `undefined` for a service that encrypts nothing. */
export function encryptionKeysOf({ encryptionKeys }: Secrets, workload: Workload) {
  return encryptionKeys[workload];
}

/** All symmetric secrets have 256 bits. */
const secretBytes = 32;

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
/** Matches several versions of a secret: `k2:BASE64,k1:BASE64`. */
const versions = z.string().regex(/^[a-z][0-9]+:[^,]+(,[a-z][0-9]+:[^,]+)*$/);
const storedSecrets = z.object({
  encryptionKeys: z.object(Object.fromEntries(ringed.map((name) => [name, versions]))),
  apiKeyPepper: versions,
  serviceKeys: textOf(workloads),
  trustedKeys: z.string(),
  issuerKey: z.string(),
  brokerPasswords: textOf(brokerServices),
});

/** Checks that a stored value has every secret in the format of `generateSecrets`. */
export function isSecrets(value: unknown): value is Secrets {
  return storedSecrets.safeParse(value).success;
}

/** The sandbox's trust domain, also the default of `TRUST_DOMAIN`. */
const trustDomain = "disburse";

export function sandboxIdentity({ serviceKeys }: Secrets): ClientIdentity {
  return serviceIdentity(readServiceKey(serviceKeys.sandbox), trustDomain);
}

/** Settings shared by all services of a sandbox and the job that creates it. */
export function sharedSettings(secrets: Secrets) {
  return {
    API_KEY_PEPPER: secrets.apiKeyPepper,
    TRUSTED_KEYS: secrets.trustedKeys,
    ...issuerSettings(secrets.issuerKey),
  };
}

type OwnSettings = {
  readonly SERVICE_KEY: string;
  readonly ISSUER_KEY?: string;
  readonly AMQP_URL?: string;
  readonly ENCRYPTION_KEYS?: string;
};

const containerBroker = "amqp://rabbitmq:5672";

/** Settings specific to one service, or to the job that creates the sandbox. */
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
