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

/** A comma-separated list of networks. An empty text means no network. */
const networksSetting = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .refine((networks) => networks.every(isCidr), "must be addresses or networks, joined by commas");

/** One or more peppers of 32 bytes, each with its version. New keys are hashed with the first. */
const peppersSetting = secret(
  z
    .string()
    .regex(
      peppersPattern,
      "must be one or more VERSION:PEPPER, joined by commas, with 32 bytes in base64 as PEPPER: p1:…",
    )
    .transform(readPeppers),
);

/**
 * The limits of an address, as a multiple of a key's limits. Colleagues may share an address: this
 * allows ten people to read the documentation or mistype a key at once.
 */
const addressShare = 10;

const settings = {
  ...commonSettings,
  DATABASE: databaseSetting("gateway"),
  /** The internal port serves `KeyService`. `PORT` is the public port. */
  RPC_HOST: z.string().default("127.0.0.1"),
  RPC_PORT: portSetting,
  /** API keys are hashed with this pepper, so no one can test a key with the database alone. */
  API_KEY_PEPPER: peppersSetting,
  ...sealingSettings,
  BENEFICIARY_URL: serviceUrlSetting,
  QUOTE_URL: serviceUrlSetting,
  PAYOUT_URL: serviceUrlSetting,
  NOTIFIER_URL: serviceUrlSetting,
  /** The URI for reports of vulnerabilities. Without it there is no `security.txt`. */
  SECURITY_CONTACT: z
    .string()
    .regex(/^(?:mailto:|https:\/\/|tel:)\S+$/, "must be a mailto:, https:// or tel: address")
    .optional(),
  /** Former public keys of the payout service. Receipts that these keys signed stay valid. */
  RECEIPT_KEYS: parsedSetting(readTrustedKeys).optional(),
  /**
   * Maximum connections to the public port of each gateway process. At the maximum, the gateway
   * closes idle connections to make room.
   */
  MAX_CONNECTIONS: countSetting(1).default(10_000),
  /** Maximum connections from each address. Our own proxies are exempt. */
  MAX_CONNECTIONS_PER_ADDRESS: countSetting(1).default(2_000),
  /** Rate limit for each API key in each gateway process (decisions §2). */
  RATE_LIMIT_PER_SECOND: countSetting(1).default(100),
  RATE_LIMIT_BURST: countSetting(1).default(200),
  /** Maximum active keys of a merchant. Each of the merchant's programs needs one or two. */
  KEYS_PER_MERCHANT: countSetting(1).default(100),
  /** Maximum members of a merchant's team, active and invited. */
  MEMBERS_PER_MERCHANT: countSetting(1).default(200),
  ...approvalSettings,
  /**
   * Rate limit for requests without a valid key from each address. Defaults to ten times a key's
   * limit.
   */
  ADDRESS_RATE_LIMIT_PER_SECOND: countSetting(1).optional(),
  ADDRESS_RATE_LIMIT_BURST: countSetting(1).optional(),
  /**
   * Maximum lookups of unknown keys from each address. Mistyped keys alone don't reach this limit.
   */
  UNKNOWN_KEYS_PER_MINUTE: countSetting(1).default(120),
  /** Origin of the members' console, for example `https://console.example.com`. */
  CONSOLE_URL: urlSetting.optional(),
  /** OpenID provider and client for members. If unset, no member can sign in. */
  MEMBERS_OIDC_ISSUER: urlSetting.optional(),
  MEMBERS_OIDC_CLIENT_ID: z.string().default("disburse-merchants"),
  /** Only confidential clients have a secret. PKCE protects public clients. */
  MEMBERS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** The operator API proxy. It is disabled unless its port is set. */
  OPERATORS_HOST: z.string().default("127.0.0.1"),
  OPERATORS_PORT: portSetting.optional(),
  /** Origin of the operators' console. */
  OPERATORS_URL: urlSetting.optional(),
  /** OpenID provider for operators. Other services must accept the provider's access tokens. */
  OPERATORS_OIDC_ISSUER: urlSetting.optional(),
  OPERATORS_OIDC_CLIENT_ID: z.string().default("disburse-console"),
  OPERATORS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** The operator API proxy calls this service. Merchants' requests never do. */
  COMPLIANCE_URL: serviceUrlSetting.optional(),
  /**
   * Networks of our own proxies. The gateway trusts the `X-Forwarded-For` header from these
   * proxies.
   */
  TRUSTED_PROXIES: networksSetting,
} as const;

/** Returns the settings after checking them. The error lists all missing or malformed settings. */
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

/** Returns the problems of the console addresses, keyed by setting. */
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
      ? ["COMPLIANCE_URL: is required if OPERATORS_PORT is set"]
      : []),
  ];
}

/** Describes why a console origin is not valid. Returns `undefined` for a valid one. */
export function originProblem(url: string, mode: "sandbox" | "live"): string | undefined {
  const { protocol, origin, pathname, search } = new URL(url);
  if (origin !== url || pathname !== "/" || search !== "") {
    return "must be an origin such as https://console.example.com";
  }
  // Plain http would expose the session cookie to anyone on the network path.
  return mode === "live" && protocol !== "https:"
    ? "must be an https:// address in live mode"
    : undefined;
}

/**
 * Describes why an issuer is not valid. Returns `undefined` for a valid one. Plain http is allowed
 * only for an issuer on this machine.
 */
export function providerProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || loopback.has(hostname)
    ? undefined
    : "must be an https:// address";
}
