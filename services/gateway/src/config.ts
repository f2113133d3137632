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

/** Networks separated by commas; empty for none. */
const networksSetting = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .refine((networks) => networks.every(isCidr), "must be addresses or networks joined by commas");

/** One or more peppers of 32 bytes, by version. The first hashes new keys. */
const peppersSetting = secret(
  z
    .string()
    .regex(peppersPattern, "must be p1:BASE64 of 32 bytes, or several joined by commas")
    .transform(readPeppers),
);

/** Colleagues share an address: ten people may read the documentation or mistype a key. */
const addressShare = 10;

const settings = {
  ...commonSettings,
  DATABASE: databaseSetting("gateway"),
  /** Internal port, which serves `KeyService`. `PORT` is the public port. */
  RPC_HOST: z.string().default("127.0.0.1"),
  RPC_PORT: portSetting,
  /** Hashes API keys, so that the database alone does not suffice to test a key. */
  API_KEY_PEPPER: peppersSetting,
  ...sealingSettings,
  BENEFICIARY_URL: serviceUrlSetting,
  QUOTE_URL: serviceUrlSetting,
  PAYOUT_URL: serviceUrlSetting,
  NOTIFIER_URL: serviceUrlSetting,
  /** Earlier public keys of the payout service, so that receipts signed with them stay valid. */
  RECEIPT_KEYS: parsedSetting(readTrustedKeys).optional(),
  /** Connections to the public port of each gateway process. Idle ones close first. */
  MAX_CONNECTIONS: countSetting(1).default(10_000),
  /** For each address. Our own proxies are exempt. */
  MAX_CONNECTIONS_PER_ADDRESS: countSetting(1).default(2_000),
  /** For each API key in each gateway process (decisions §2). */
  RATE_LIMIT_PER_SECOND: countSetting(1).default(100),
  RATE_LIMIT_BURST: countSetting(1).default(200),
  /** Active keys of a merchant. Each of its programs needs one or two. */
  KEYS_PER_MERCHANT: countSetting(1).default(100),
  /** Active and invited members of a merchant's team. */
  MEMBERS_PER_MERCHANT: countSetting(1).default(200),
  ...approvalSettings,
  /** For each address, of requests without a valid key. Defaults to ten times a key's limits. */
  ADDRESS_RATE_LIMIT_PER_SECOND: countSetting(1).optional(),
  ADDRESS_RATE_LIMIT_BURST: countSetting(1).optional(),
  /** For each address, lookups of keys that do not exist. More than a merchant mistypes. */
  UNKNOWN_KEYS_PER_MINUTE: countSetting(1).default(120),
  /** Origin of the console for merchants' members: `https://console.example.com`. */
  CONSOLE_URL: urlSetting.optional(),
  /** OpenID provider and client of merchants' members. Without it, no member can sign in. */
  MEMBERS_OIDC_ISSUER: urlSetting.optional(),
  MEMBERS_OIDC_CLIENT_ID: z.string().default("disburse-merchants"),
  /** Only for a confidential client. PKCE protects public ones. */
  MEMBERS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** Operator API proxy. Disabled without a port. */
  OPERATORS_HOST: z.string().default("127.0.0.1"),
  OPERATORS_PORT: portSetting.optional(),
  /** Origin of the console for operators. */
  OPERATORS_URL: urlSetting.optional(),
  /** OpenID provider of operators. Services must accept its access tokens. */
  OPERATORS_OIDC_ISSUER: urlSetting.optional(),
  OPERATORS_OIDC_CLIENT_ID: z.string().default("disburse-console"),
  OPERATORS_OIDC_CLIENT_SECRET: secret(z.string().optional()),
  /** Only for operators. Merchants' requests never call compliance. */
  COMPLIANCE_URL: serviceUrlSetting.optional(),
  /** Our own proxies. The gateway trusts their `X-Forwarded-For`. */
  TRUSTED_PROXIES: networksSetting,
} as const;

/** Returns the checked settings. Throws with the names of all missing or malformed ones. */
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

/** Returns the problems of the console's addresses, by setting. */
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

/** Returns `undefined` for a valid origin of a browser-facing port. */
export function originProblem(url: string, mode: "sandbox" | "live"): string | undefined {
  const { protocol, origin, pathname, search } = new URL(url);
  if (origin !== url || pathname !== "/" || search !== "") {
    return "must be an origin such as https://console.example.com";
  }
  // Anyone on the path can read a cookie sent over plain http.
  return mode === "live" && protocol !== "https:"
    ? "must be an https:// address in live mode"
    : undefined;
}

/** Returns `undefined` for a valid issuer. Plain http is allowed only on this machine. */
export function providerProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || loopback.has(hostname)
    ? undefined
    : "must be an https:// address";
}
