import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { logLevels } from "@disburse/chassis/log.ts";
import {
  countSetting,
  type Environment,
  portSetting,
  readSettings,
} from "@disburse/chassis/settings.ts";
import { writeFileAtomically } from "@disburse/sandbox/atomic-file.ts";
import { generateSecrets, type Secrets } from "@disburse/sandbox/secrets.ts";
import { z } from "zod";

/** The settings of `npm start`; README.md lists them. */
export function readConfig(environment: Environment, root: string) {
  const settings = readSettings(environment, {
    HOST: z.string().default("127.0.0.1"),
    PORT: portSetting.default(8080),
    DATA_DIR: z.string().default(join(root, ".data")),
    LOG_LEVEL: z.enum(logLevels).optional(),
    LOG_FORMAT: z.enum(["pretty", "json"]).optional(),
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
    /** Of each service: the requests of the last minutes, in some 3 MB. */
    TRACE_MEMORY_SPANS: countSetting().default(4_000),
  });
  const present = serviceSettings.filter((name) => environment[name] !== undefined);
  const passedOn: Environment = Object.fromEntries(
    present.map((name) => [name, environment[name]]),
  );
  return { ...settings, passedOn };
}

/** Settings of single services that `npm start` passes on. */
const serviceSettings = [
  "ADDRESS_RATE_LIMIT_PER_SECOND",
  "ADDRESS_RATE_LIMIT_BURST",
  "AUDIT_HEADS_SECONDS",
  "BANK_RAILS",
  "BANK_RAILS_FILE",
  "EVM_CHAINS",
  "EVM_CHAINS_FILE",
  "LIST_SOURCES",
  "MAX_CONNECTIONS",
  "MAX_CONNECTIONS_PER_ADDRESS",
  "OTEL_BSP_SCHEDULE_DELAY",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_SDK_DISABLED",
  "OTEL_TRACES_EXPORTER",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "QUOTE_TTL_SECONDS",
  "RAIL_ROUTES",
  "RATE_LIMIT_PER_SECOND",
  "RATE_LIMIT_BURST",
  "SANDBOX_DELAY",
  "SANDBOX_SCENARIOS",
  "SANDBOX_SEED",
  "STEP_UP_ACR",
  "STEP_UP_MAX_AGE_SECONDS",
  "UNKNOWN_KEYS_PER_MINUTE",
  "WEBHOOK_SIGNATURE_HEADER",
  "WEBHOOK_SOURCE_ADDRESS",
  "WEBHOOK_VERIFY_URLS",
] as const;

/** Describes the sandbox to tools and tests. */
export const sandboxFile = "sandbox.json";

/** The secrets of a data folder's platform, generated at its first start, or where one is new. */
export function readSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "secrets.json");
  const stored = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Partial<Secrets>)
    : {};
  const generated = generateSecrets();
  const secrets = { ...generated, ...stored, encryptionKeys: ringsOf(generated, stored) };
  const isNew = Object.keys(secrets).some((name) => !(name in stored));
  if (isNew || JSON.stringify(secrets.encryptionKeys) !== JSON.stringify(stored.encryptionKeys)) {
    writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`);
  }
  return secrets;
}

/** The stored rings, and those of services that seal since a later release. */
function ringsOf(generated: Secrets, stored: Partial<Secrets>): Secrets["encryptionKeys"] {
  const { encryptionKeys: rings } = stored;
  if (typeof rings === "string" || typeof generated.encryptionKeys === "string") {
    return rings ?? generated.encryptionKeys;
  }
  return { ...generated.encryptionKeys, ...rings };
}

/**
 * The secrets of a data folder whose platform has been started; throws where there is none, or it
 * was last started by a release that had no issuer of tokens.
 */
export function readStoredSecrets(folder: string): Pick<Secrets, "issuerKey"> {
  const path = join(folder, "secrets.json");
  const stored = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Partial<Secrets>)
    : {};
  const { issuerKey } = stored;
  if (issuerKey === undefined) throw new Error(`no sandbox was started in ${folder}: npm start`);
  return { issuerKey };
}
