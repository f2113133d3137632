import { z } from "zod";
import { logLevels } from "./log.ts";

/** A service's settings as text, as the process environment gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for missing or malformed settings; names them, never shows a value. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** Reads settings, checked and complete, or throws a `SettingsError` that ends the process. */
export function readSettings<Shape extends z.ZodRawShape>(environment: Environment, shape: Shape) {
  const present = Object.entries(environment).filter(([, value]) => value !== "");
  const result = z.object(shape).safeParse(Object.fromEntries(present));
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new SettingsError(`settings: ${problems.join("; ")}`);
}

/** A TCP port; 0 lets the system choose one. */
export const portSetting = z.coerce.number().int().min(0).max(65_535);

/** A whole number of at least `min`. */
export const countSetting = (min = 0) => z.coerce.number().int().min(min).max(2_147_483_647);

/** `sandbox` simulates rails and allows local webhooks; `live` moves real money. */
export const modeSetting = z.enum(["sandbox", "live"]);
/** Whether a deployment is a sandbox or live. */
export type Mode = z.output<typeof modeSetting>;

/** The address of another service: `http://127.0.0.1:9102`. */
export const serviceUrlSetting = z.url({ protocol: /^https?$/ });

/** Short shared tokens can be guessed; 32 characters of base64 are 192 bits. */
const serviceTokenLengthMin = 32;

/** Settings of every service. Defaults are safe anywhere; secrets and addresses have none. */
export const commonSettings = {
  DISBURSE_MODE: modeSetting,
  HOST: z.string().default("127.0.0.1"),
  PORT: portSetting,
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, "must be a mongodb:// address"),
  /** Shared by all services of a deployment; calls without it are refused. */
  SERVICE_TOKEN: z.string().min(serviceTokenLengthMin),
  LOG_LEVEL: z.enum(logLevels).default("info"),
} as const;

/** A service's own database. */
export const databaseSetting = (service: string) => z.string().default(`disburse_${service}`);

/** `KEY_ID:BASE64` pairs joined by commas; the first seals, all open. See `sealing.ts`. */
export const encryptionKeysSetting = z
  .string()
  .regex(/^[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=(,[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=)*$/, {
    message: "must be key_id:base64 of 32 bytes, joined by commas",
  });

/** Where events are exchanged: `amqp://…`; the standalone platform hands a bus over instead. */
export const busSettings = {
  AMQP_URL: z
    .string()
    .regex(/^amqps?:\/\//, "must be an amqp:// address")
    .optional(),
  /** Prefix of exchange and queue names, so that deployments can share a broker. */
  BUS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default("disburse"),
} as const;

/** Settings of a service that publishes or consumes events. */
export type BusSettings = z.output<z.ZodObject<typeof busSettings>>;
