import {
  commonSettings,
  countSetting,
  databaseSetting,
  type Environment,
  portSetting,
  readSettings,
  sealingSettings,
  secret,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { peppersPattern, readPeppers } from "./keys/rules/peppers.ts";
import { isCidr } from "./keys/rules/source-address.ts";

/** Networks joined by commas; the empty text for none. */
const networksSetting = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .refine((networks) => networks.every(isCidr), "must be addresses or networks joined by commas");

/** 32 bytes as base64, or several of them by version; the first hashes. */
const peppersSetting = secret(
  z
    .string()
    .regex(peppersPattern, "must be 32 bytes as base64, or version:base64 joined by commas")
    .transform(readPeppers),
);

/** Colleagues share an address: ten of them may read the documentation or mistype a key. */
const addressShare = 10;

const settings = {
  ...commonSettings,
  DATABASE: databaseSetting("gateway"),
  /** Of the internal port, where `KeyService` is served; `PORT` is the public one. */
  RPC_HOST: z.string().default("127.0.0.1"),
  RPC_PORT: portSetting,
  /** API keys are hashed under it, so that the database alone does not suffice to test a key. */
  API_KEY_PEPPER: peppersSetting,
  ...sealingSettings,
  BENEFICIARY_URL: serviceUrlSetting,
  QUOTE_URL: serviceUrlSetting,
  PAYOUT_URL: serviceUrlSetting,
  NOTIFIER_URL: serviceUrlSetting,
  /** Connections to the public port of each gateway process; idle ones give way. */
  MAX_CONNECTIONS: countSetting(1).default(10_000),
  /** Of one address that is no proxy of ours. */
  MAX_CONNECTIONS_PER_ADDRESS: countSetting(1).default(2_000),
  /** For each API key in each gateway process (decisions §2). */
  RATE_LIMIT_PER_SECOND: countSetting(1).default(100),
  RATE_LIMIT_BURST: countSetting(1).default(200),
  /** For each address, of requests without a good key; ten times a key's when left out. */
  ADDRESS_RATE_LIMIT_PER_SECOND: countSetting(1).optional(),
  ADDRESS_RATE_LIMIT_BURST: countSetting(1).optional(),
  /** For each address, of keys that do not exist; more than a merchant mistypes. */
  UNKNOWN_KEYS_PER_MINUTE: countSetting(1).default(120),
  /** Proxies of ours, whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: networksSetting,
} as const;

/**
 * The gateway's settings, checked; throws with the names of those that are missing or malformed.
 */
export function readConfig(environment: Environment) {
  const read = readSettings(environment, settings);
  const ofAddress = (ofKey: number) => addressShare * ofKey;
  return {
    ...read,
    ADDRESS_RATE_LIMIT_PER_SECOND:
      read.ADDRESS_RATE_LIMIT_PER_SECOND ?? ofAddress(read.RATE_LIMIT_PER_SECOND),
    ADDRESS_RATE_LIMIT_BURST: read.ADDRESS_RATE_LIMIT_BURST ?? ofAddress(read.RATE_LIMIT_BURST),
  };
}
