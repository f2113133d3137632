import { z } from "zod";
import { auditSettings } from "../audit/settings.ts";
import { identitySettings } from "../identity/settings.ts";
import { logLevels } from "../log.ts";
import { modeSetting, portSetting, secret } from "../settings.ts";
import { tracingSettings } from "../tracing/settings.ts";

/**
 * Settings of every service. The defaults are safe anywhere. Secrets and addresses have no default.
 */
export const commonSettings = {
  DISBURSE_MODE: modeSetting,
  HOST: z.string().default("127.0.0.1"),
  PORT: portSetting,
  /** A secret, because it may contain a password. */
  MONGODB_URI: secret(z.string().regex(/^mongodb(\+srv)?:\/\//, "must be a mongodb:// address")),
  /**
   * If `true`, a service mesh encrypts the connections to the database, the broker and other
   * services. Their addresses may then be without TLS in live mode (`backends.ts`).
   */
  BACKEND_TLS_BY_MESH: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
  ...identitySettings,
  ...auditSettings,
  /** The commit that the image was built of. The image sets it (deploy/Dockerfile). */
  BUILD_COMMIT: z.string().default(""),
  LOG_LEVEL: z.enum(logLevels).default("info"),
  /**
   * The address of probes and metrics (`admin/server.ts`). With port 0 the system chooses a
   * port.
   */
  ADMIN_HOST: z.string().default("127.0.0.1"),
  ADMIN_PORT: portSetting.default(0),
  /**
   * The time in which the process still accepts connections after SIGTERM, so that load balancers
   * can notice that it drains.
   */
  SHUTDOWN_DELAY_SECONDS: z.coerce.number().min(0).max(300).default(0),
  ...tracingSettings,
  OTEL_EXPORTER_OTLP_HEADERS: secret(tracingSettings.OTEL_EXPORTER_OTLP_HEADERS),
} as const;

export const databaseSetting = (service: string) => z.string().default(`disburse_${service}`);
