import { readFileSync } from "node:fs";
import { type Decimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { readServiceKey, readTrustedKeys } from "./identity/keys.ts";
import { stepUpSecondsDefault } from "./identity/step-up.ts";
import { logLevels } from "./log.ts";
import { tracingSettings } from "./tracing/settings.ts";

/** A service's settings as text, as the process environment gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for missing or malformed settings; names them, never shows a value. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/**
 * Marks a setting as a secret: beside `NAME` it can be given as `NAME_FILE`, the path of a file
 * that holds it, as Docker and Kubernetes mount secrets. One line break at its end is ignored.
 */
export const secret = <Type extends z.ZodType>(type: Type): Type => type.meta({ secret: true });

const isSecret = (type: z.core.$ZodType): boolean => z.globalRegistry.get(type)?.secret === true;

/** Reads settings, checked and complete, or throws a `SettingsError` that ends the process. */
export function readSettings<Shape extends z.ZodRawShape>(environment: Environment, shape: Shape) {
  const secrets = Object.keys(shape).filter((name) => isSecret(shape[name] as z.core.$ZodType));
  const given = { ...environment, ...readSecretFiles(environment, secrets) };
  const present = Object.entries(given).filter(([, value]) => value !== "");
  const result = z.object(shape).safeParse(Object.fromEntries(present));
  const issues = result.error?.issues ?? [];
  const problems = issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (lacksKeys(shape, given)) problems.push("ENCRYPTION_KEYS: is required, or AWS_KMS_KEY_IDS");
  if (result.success && problems.length === 0) return result.data;
  throw new SettingsError(`settings: ${problems.join("; ")}`);
}

function readSecretFiles(environment: Environment, names: readonly string[]): Environment {
  const files = names.filter((name) => environment[`${name}_FILE`]);
  return Object.fromEntries(
    files.map((name) => {
      if (environment[name]) {
        throw new SettingsError(`settings: ${name}: is given, and so is ${name}_FILE`);
      }
      return [name, readTextFile(`${name}_FILE`, environment[`${name}_FILE`] ?? "")];
    }),
  );
}

/** The text of a file that a setting names; throws a `SettingsError` where it has none. */
export function readTextFile(setting: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`settings: ${setting}: cannot be read (${code})`, { cause: error });
  }
  if (text === "") throw new SettingsError(`settings: ${setting}: is an empty file`);
  return text;
}

/** A TCP port; 0 lets the system choose one. */
export const portSetting = z.coerce.number().int().min(0).max(65_535);

/** A whole number of at least `min`. */
export const countSetting = (min = 0) => z.coerce.number().int().min(min).max(2_147_483_647);

/** `sandbox` simulates rails and allows local webhooks; `live` moves real money. */
export const modeSetting = z.enum(["sandbox", "live"]);
/** Whether a deployment is a sandbox or live. */
export type Mode = z.output<typeof modeSetting>;

/** A text that `read` understands; what it throws says what is wrong, and shows no value. */
export function parsedSetting<T>(read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      const message = error instanceof TypeError ? error.message : "is malformed";
      context.issues.push({ code: "custom", message, input: undefined });
      return z.NEVER;
    }
  });
}

/** `true` or `false`. */
export const flagSetting = z.enum(["true", "false"]).transform((text) => text === "true");

/** A share of a whole: `0.1` is a tenth. */
export const shareSetting = parsedSetting((text): Decimal => {
  const share = parseDecimal(text);
  if (share !== undefined && share.units >= 0n) return share;
  throw new TypeError("must be a share, such as 0.1");
});

/** One address: `https://api.example.com`. */
export const urlSetting = z.url({ protocol: /^https?$/ });

/**
 * The addresses of another service: `http://127.0.0.1:9102`, or several joined by commas. A host
 * name stands for each address that it resolves to.
 */
export const serviceUrlSetting = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .pipe(z.array(urlSetting));

/** The addresses of a service. */
export type ServiceUrls = z.output<typeof serviceUrlSetting>;

/** Who the processes of a service are, and whom they believe (docs/decisions/0031-identity.md). */
export const identitySettings = {
  /** The service's own key, with which it signs; a private JWK. */
  SERVICE_KEY: secret(parsedSetting(readServiceKey)),
  /** The public keys of all services, a JWK set. No secret, but given in the same ways. */
  TRUSTED_KEYS: secret(parsedSetting(readTrustedKeys)),
  /** Of the deployment: tokens of another one are refused. */
  TRUST_DOMAIN: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,252}$/)
    .default("disburse"),
  /**
   * Mutual TLS beneath the tokens (docs/decisions/0042-mutual-tls.md): the process's certificate,
   * its key, and the certificates of the authorities that are believed. All of them or none.
   */
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TLS_CA_FILE: z.string().optional(),
  /** Whether persons may call without a certificate; services never. */
  TLS_CLIENTS: z.enum(["services", "services_and_persons"]).default("services"),
  /**
   * Whose access tokens name persons: an OpenID provider, or several names of one joined by commas;
   * without it, persons have no access.
   */
  OIDC_ISSUER: serviceUrlSetting.optional(),
  /** What persons' tokens have to be made for. */
  OIDC_AUDIENCE: z.string().default("disburse"),
  /** The claim with a person's roles. */
  OIDC_ROLES_CLAIM: z.string().default("roles"),
  /** Where the issuer's keys are, a JWK set … */
  OIDC_JWKS_URL: urlSetting.optional(),
  /** … or the keys themselves. */
  OIDC_JWKS: secret(parsedSetting((text) => JSON.parse(text) as JSONWebKeySet).optional()),
  /** How old the sign-in of a person may be who approves; `step_up` of the contract. */
  STEP_UP_MAX_AGE_SECONDS: countSetting(1).default(stepUpSecondsDefault),
  /** The class of authentication, `acr`, that such a sign-in must have had. */
  STEP_UP_ACR: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/)
    .optional(),
} as const;

/** Of services whose operators propose changes. */
export const approvalSettings = {
  /** Open proposals of a merchant in one service; each expires after a day. */
  OPEN_PROPOSALS_PER_MERCHANT: countSetting(1).default(1_000),
} as const;

/** Where evidence of what operators did is kept (docs/decisions/0043-evidence.md). */
export const auditSettings = {
  /** Where signed heads go: `file:///var/lib/disburse/audit`. Without one none are shipped. */
  AUDIT_SINK: z
    .string()
    .regex(
      /^(?:file:\/\/\/.*|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.'()/-]*)?)$/,
      "must be file:///folder or s3://bucket/prefix",
    )
    .optional(),
  /** Of a store that speaks S3's protocol, in place of the region's own. */
  AUDIT_S3_ENDPOINT: urlSetting.optional(),
  /** For how long no one can remove a line from a bucket: seven years by default. */
  AUDIT_RETENTION_DAYS: countSetting(1).max(36_500).default(2_557),
  /** How often, where something has happened. */
  AUDIT_HEADS_SECONDS: countSetting(1).default(60),
} as const;

/** The settings of the evidence, read, and the deployment that it is of. */
export type AuditSettings = z.output<z.ZodObject<typeof auditSettings>> &
  Pick<IdentitySettings, "TRUST_DOMAIN">;

/** The settings of an identity, read. */
export type IdentitySettings = z.output<z.ZodObject<typeof identitySettings>>;

/** Settings of every service. Defaults are safe anywhere; secrets and addresses have none. */
export const commonSettings = {
  DISBURSE_MODE: modeSetting,
  HOST: z.string().default("127.0.0.1"),
  PORT: portSetting,
  /** A secret, for it may hold a password. */
  MONGODB_URI: secret(z.string().regex(/^mongodb(\+srv)?:\/\//, "must be a mongodb:// address")),
  /**
   * `true`: a service mesh encrypts the way to database, broker and other services, whose
   * addresses then may be without TLS in live mode (`backends.ts`).
   */
  BACKEND_TLS_BY_MESH: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
  ...identitySettings,
  ...auditSettings,
  LOG_LEVEL: z.enum(logLevels).default("info"),
  /** Where probes and metrics are served (`operations/server.ts`); 0 lets the system choose. */
  ADMIN_HOST: z.string().default("127.0.0.1"),
  ADMIN_PORT: portSetting.default(0),
  /** From SIGTERM until it stops accepting: balancers must have seen by then that it drains. */
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().min(0).max(300).default(0),
  ...tracingSettings,
  OTEL_EXPORTER_OTLP_HEADERS: secret(tracingSettings.OTEL_EXPORTER_OTLP_HEADERS),
} as const;

/** A service's own database. */
export const databaseSetting = (service: string) => z.string().default(`disburse_${service}`);

/**
 * What a service seals with: a ring of its own, or keys that AWS KMS keeps; one of the two is
 * required (docs/decisions/0044-secrets.md).
 */
export const sealingSettings = {
  /** `KEY_ID:BASE64` pairs joined by commas; the first wraps data keys, all unwrap. */
  ENCRYPTION_KEYS: secret(
    z
      .string()
      .regex(/^[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=(,[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=)*$/, {
        message: "must be key_id:base64 of 32 bytes, joined by commas",
      })
      .optional(),
  ),
  /** Ids or ARNs joined by commas, the current one first. An alias can come to mean another key. */
  AWS_KMS_KEY_IDS: z
    .string()
    .regex(/^(?!.*alias\/)[\w:/-]{1,256}(,[\w:/-]{1,256})*$/, "must be ids or ARNs of keys")
    .transform((text) => text.split(",") as [string, ...string[]])
    .optional(),
  /** Of another server than the region's own. */
  AWS_KMS_ENDPOINT: urlSetting.optional(),
} as const;

/** The settings of sealing, read. */
export type SealingSettings = z.output<z.ZodObject<typeof sealingSettings>>;

/**
 * The settings of one service, where several are given the same: its own ring,
 * `ENCRYPTION_KEYS_PAYOUT`, goes before `ENCRYPTION_KEYS`.
 */
export function withOwnRing(environment: Environment, service: string): Environment {
  const name = `ENCRYPTION_KEYS_${service.toUpperCase()}`;
  const { [name]: ring, [`${name}_FILE`]: file } = environment;
  if (!ring && !file) return environment;
  return { ...environment, ENCRYPTION_KEYS: ring, ENCRYPTION_KEYS_FILE: file };
}

/** Whether a service seals, and has nothing to seal with. */
function lacksKeys(shape: z.ZodRawShape, given: Environment): boolean {
  return "AWS_KMS_KEY_IDS" in shape && !given.ENCRYPTION_KEYS && !given.AWS_KMS_KEY_IDS;
}

/** Where events are exchanged: `amqp://…`; the standalone platform hands a bus over instead. */
export const busSettings = {
  AMQP_URL: secret(
    z
      .string()
      .regex(/^amqps?:\/\//, "must be an amqp:// address")
      .optional(),
  ),
  /** Prefix of exchange and queue names, so that deployments can share a broker. */
  BUS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default("disburse"),
} as const;

/** Settings of a service that publishes or consumes events. */
export type BusSettings = z.output<z.ZodObject<typeof busSettings>>;
