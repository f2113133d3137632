import { z } from "zod";
import { auditSettings } from "../audit/settings.ts";
import { identitySettings } from "../identity/settings.ts";
import { logLevels } from "../log.ts";
import { modeSetting, portSetting, secret } from "../settings.ts";
import { tracingSettings } from "../tracing/settings.ts";

/** Settings of every service. Defaults are safe anywhere; secrets and addresses have none. */
export const commonSettings = {
  DISBURSE_MODE: modeSetting,
  HOST: z.string().default("127.0.0.1"),
  PORT: portSetting,
  /** A secret, because it may contain a password. */
  MONGODB_URI: secret(z.string().regex(/^mongodb(\+srv)?:\/\//, "must be a mongodb:// address")),
  /**
   * `true`: a service mesh encrypts the connections to database, broker and other services; their
   * addresses may then be without TLS in live mode (`backends.ts`).
   */
  BACKEND_TLS_BY_MESH: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
  ...identitySettings,
  ...auditSettings,
  LOG_LEVEL: z.enum(logLevels).default("info"),
  /** Address of probes and metrics (`operations/server.ts`); port 0 lets the system choose. */
  ADMIN_HOST: z.string().default("127.0.0.1"),
  ADMIN_PORT: portSetting.default(0),
  /**
   * The time from SIGTERM to the last accepted connection: load balancers must notice the drain.
   */
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().min(0).max(300).default(0),
  ...tracingSettings,
  OTEL_EXPORTER_OTLP_HEADERS: secret(tracingSettings.OTEL_EXPORTER_OTLP_HEADERS),
} as const;

export const databaseSetting = (service: string) => z.string().default(`disburse_${service}`);
