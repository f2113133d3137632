import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { readTrustedKeys } from "@disburse/chassis/identity/keys.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  parsedSetting,
  portSetting,
  readSettings,
  SettingsError,
  secret,
  serviceUrlSetting,
  urlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { peppersPattern, readPeppers } from "./keys/rules/peppers.ts";
import { isCidr } from "./keys/rules/source-address.ts";

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Networks joined by commas; the empty text for none. */
const networksSetting = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .refine((networks) => networks.every(isCidr), "must be addresses or networks joined by commas");

/** One or several of 32 bytes, by version; the first hashes. */
const peppersSetting = secret(
  z
    .string()
    .regex(peppersPattern, "must be p1:BASE64 of 32 bytes, or several joined by commas")
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
  /** Public keys that the payout service had before: receipts that they signed stay good. */
  RECEIPT_KEYS: parsedSetting(readTrustedKeys).optional(),
  /** Connections to the public port of each gateway process; idle ones give way. */
  MAX_CONNECTIONS: countSetting(1).default(10_000),
  /** Of one address that is no proxy of ours. */
  MAX_CONNECTIONS_PER_ADDRESS: countSetting(1).default(2_000),
  /** For each API key in each gateway process (decisions §2). */
  RATE_LIMIT_PER_SECOND: countSetting(1).default(100),
  RATE_LIMIT_BURST: countSetting(1).default(200),
  /** Keys of a merchant that work at a time; each of its programs needs one or two. */
  KEYS_PER_MERCHANT: countSetting(1).default(100),
  /** Members of a merchant's team at a time, with those who are invited. */
  MEMBERS_PER_MERCHANT: countSetting(1).default(200),
  ...approvalSettings,
  /** For each address, of requests without a good key; ten times a key's when left out. */
  ADDRESS_RATE_LIMIT_PER_SECOND: countSetting(1).optional(),
  ADDRESS_RATE_LIMIT_BURST: countSetting(1).optional(),
  /** For each address, of keys that do not exist; more than a merchant mistypes. */
  UNKNOWN_KEYS_PER_MINUTE: countSetting(1).default(120),
  /** Where merchants' people reach the console: `https://console.example.com`. */
  CONSOLE_URL: urlSetting.optional(),
  /** The OpenID provider that they sign in at, and as whose client; none can without it. */
  MEMBERS_OIDC_ISSUER: urlSetting.optional(),
  MEMBERS_OIDC_CLIENT_ID: z.string().default("disburse-merchants"),
  /** Of a client that has one; PKCE protects the others. */
  MEMBERS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** Of the operators' door, which is shut without a port. */
  OPERATORS_HOST: z.string().default("127.0.0.1"),
  OPERATORS_PORT: portSetting.optional(),
  /** Where operators reach it. */
  OPERATORS_URL: urlSetting.optional(),
  /** The provider that operators sign in at: one whose access tokens services believe. */
  OPERATORS_OIDC_ISSUER: urlSetting.optional(),
  OPERATORS_OIDC_CLIENT_ID: z.string().default("disburse-console"),
  OPERATORS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** For operators alone: no merchant's request goes there. */
  COMPLIANCE_URL: serviceUrlSetting.optional(),
  /** Proxies of ours, whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: networksSetting,
} as const;

/**
 * The gateway's settings, checked; throws with the names of those that are missing or malformed.
 */
export function readConfig(environment: Environment) {
  const read = readSettings(environment, settings);
  const problems = addressProblems(read);
  if (problems.length > 0) throw new SettingsError(`settings: ${problems.join("; ")}`);
  const ofAddress = (ofKey: number) => addressShare * ofKey;
  return {
    ...read,
    ADDRESS_RATE_LIMIT_PER_SECOND:
      read.ADDRESS_RATE_LIMIT_PER_SECOND ?? ofAddress(read.RATE_LIMIT_PER_SECOND),
    ADDRESS_RATE_LIMIT_BURST: read.ADDRESS_RATE_LIMIT_BURST ?? ofAddress(read.RATE_LIMIT_BURST),
  };
}

/** What is wrong with the addresses of the console, by the names of their settings. */
function addressProblems(read: ReturnType<typeof readSettings<typeof settings>>): string[] {
  const { DISBURSE_MODE: mode } = read;
  const origins = { CONSOLE_URL: read.CONSOLE_URL, OPERATORS_URL: read.OPERATORS_URL };
  const { MEMBERS_OIDC_ISSUER, OPERATORS_OIDC_ISSUER } = read;
  const providers = { MEMBERS_OIDC_ISSUER, OPERATORS_OIDC_ISSUER };
  const named = (
    urls: Readonly<Record<string, string | undefined>>,
    problemOf: (url: string) => string | undefined,
  ) =>
    Object.entries(urls).flatMap(([name, url]) => {
      const problem = url === undefined ? undefined : problemOf(url);
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
  return [
    ...named(origins, (url) => originProblem(url, mode)),
    ...named(providers, providerProblem),
    ...(read.OPERATORS_PORT !== undefined && read.COMPLIANCE_URL === undefined
      ? ["COMPLIANCE_URL: is required beside OPERATORS_PORT"]
      : []),
  ];
}

/** What is wrong with the address by which browsers reach a port, or `undefined`. */
export function originProblem(url: string, mode: "sandbox" | "live"): string | undefined {
  const { protocol, origin, pathname, search } = new URL(url);
  if (origin !== url || pathname !== "/" || search !== "") {
    return "must be an origin such as https://console.example.com";
  }
  // A cookie that goes over plain http is anyone's on the way.
  return mode === "live" && protocol !== "https:"
    ? "must be an https:// address in live mode"
    : undefined;
}

/**
 * What is wrong with a provider's address, or `undefined`: over plain http on this machine alone.
 */
export function providerProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || loopback.has(hostname)
    ? undefined
    : "must be an https:// address";
}
