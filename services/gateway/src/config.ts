import {
  commonSettings,
  countSetting,
  databaseSetting,
  type Environment,
  encryptionKeysSetting,
  portSetting,
  readSettings,
  secret,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { isCidr } from "./keys/rules/source-address.ts";

/** Networks joined by commas; the empty text for none. */
const networksSetting = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .refine((networks) => networks.every(isCidr), "must be addresses or networks joined by commas");

/** 32 bytes as base64. */
const pepperSetting = secret(
  z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes as base64")
    .transform((text) => Buffer.from(text, "base64")),
);

const settings = {
  ...commonSettings,
  DATABASE: databaseSetting("gateway"),
  /** Of the internal port, where `KeyService` is served; `PORT` is the public one. */
  RPC_HOST: z.string().default("127.0.0.1"),
  RPC_PORT: portSetting,
  /** API keys are hashed under it, so that the database alone does not suffice to test a key. */
  API_KEY_PEPPER: pepperSetting,
  ENCRYPTION_KEYS: encryptionKeysSetting,
  BENEFICIARY_URL: serviceUrlSetting,
  QUOTE_URL: serviceUrlSetting,
  PAYOUT_URL: serviceUrlSetting,
  NOTIFIER_URL: serviceUrlSetting,
  /** For each API key in each gateway process (decisions §2). */
  RATE_LIMIT_PER_SECOND: countSetting(1).default(100),
  RATE_LIMIT_BURST: countSetting(1).default(200),
  /** Proxies of ours, whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: networksSetting,
} as const;

/**
 * The gateway's settings, checked; throws with the names of those that are missing or malformed.
 */
export function readConfig(environment: Environment) {
  return readSettings(environment, settings);
}
