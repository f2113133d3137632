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
