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
import { merchantNames } from "@disburse/sandbox/sandbox-data.ts";
import { generateSecrets, isSecrets, type Secrets } from "@disburse/sandbox/secrets.ts";
import { eachService, serviceNames } from "@disburse/sandbox/service-names.ts";
import { z } from "zod";
import { OtherVersionError } from "./other-version.ts";

/** Reads the settings of `npm start`, which docs/contributing/running-locally.md lists. */
export function readConfig(environment: Environment, root: string) {
  const settings = readSettings(environment, {
    HOST: z.string().default("127.0.0.1"),
    PORT: portSetting.default(8080),
    DATA_DIR: z.string().default(join(root, ".data")),
    LOG_LEVEL: z.enum(logLevels).optional(),
    LOG_FORMAT: z.enum(["pretty", "json"]).optional(),
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
    /**
     * The number of spans that each service keeps. They cover the last minutes of requests and need
     * about 3 MB.
     */
    TRACE_MEMORY_SPANS: countSetting().default(4_000),
  });
  const accepted = [...serviceSettings, ...Object.keys(environment).filter(isRailSetting)];
  const present = accepted.filter((name) => environment[name] !== undefined);
  const passedOn: Environment = Object.fromEntries(
    present.map((name) => [name, environment[name]]),
  );
  return { ...settings, passedOn };
}

/** Returns true for the settings of rail packages: `EVM_CHAINS`, `BANK_RAILS_FILE`. */
const isRailSetting = (name: string) => /^[A-Z]+_(?:CHAINS|RAILS)(?:_FILE)?$/.test(name);

/** Settings of single services that `npm start` accepts. */
const serviceSettings = [
  "ADDRESS_RATE_LIMIT_PER_SECOND",
  "ADDRESS_RATE_LIMIT_BURST",
  "ALERT_HOURS_BLOCK",
  "ALERT_HOURS_REVIEW",
  "AUDIT_HEADS_SECONDS",
  "COUNTRIES_BLOCK",
  "COUNTRIES_REVIEW",
  "LIST_SOURCES",
  "MAIL_DIGEST_SECONDS",
  "MAIL_FROM",
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
  "SMTP_URL",
  "SMTP_URL_FILE",
  "STEP_UP_ACR",
  "STEP_UP_MAX_AGE_SECONDS",
  "UNKNOWN_KEYS_PER_MINUTE",
  "WEBHOOK_SIGNATURE_HEADER",
  "WEBHOOK_SOURCE_ADDRESS",
  "WEBHOOK_VERIFY_URLS",
] as const;

/** The name of the file that describes the sandbox to tools and tests. */
export const sandboxFile = "sandbox.json";

/** Returns the secrets of a data folder. Generates them at the first start. */
export function readSecrets(folder: string): Secrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, secretsFile);
  if (existsSync(path)) return readStored(folder, path);
  const secrets = generateSecrets();
  writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Returns the secrets of a data folder. Throws if no platform has been started on the folder. */
export function readStoredSecrets(folder: string): Secrets {
  const path = join(folder, secretsFile);
  if (!existsSync(path))
    throw new Error(
      `no sandbox is running with the data folder ${folder}: start one with npm start`,
    );
  return readStored(folder, path);
}

const secretsFile = "secrets.json";

function readStored(folder: string, path: string): Secrets {
  const stored: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isSecrets(stored)) throw new OtherVersionError(folder);
  return stored;
}

const portUrl = z.url().refine((url) => new URL(url).port !== "");
const merchant = z.object({ merchant_id: z.string(), api_key: z.string() });
const servicePorts = z.object(eachService(() => portUrl));
/** The part of `sandbox.json` that the next start reads. */
const storedSandbox = z.object({
  grpc: servicePorts,
  admin: servicePorts,
  issuer: portUrl,
  operators_url: portUrl,
  merchants: z.record(z.enum(merchantNames), merchant),
});

/**
 * Returns the ports of the last start: the services in the order of `serviceNames`, then the
 * operator API proxy and the OpenID provider. After a crash, the notifier recognizes deliveries
 * that it had in flight by its port. With a different port, those deliveries would wait 15 s.
 */
export function readPreviousPorts(folder: string): number[] {
  const path = join(folder, sandboxFile);
  if (!existsSync(path)) return [];
  const { data } = storedSandbox.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (data === undefined) throw new OtherVersionError(folder);
  const urls = [data.grpc, data.admin].flatMap((each) => serviceNames.map((name) => each[name]));
  return [...urls, data.operators_url, data.issuer].map((url) => Number(new URL(url).port));
}
