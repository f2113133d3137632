import { z } from "zod";
import type { IdentitySettings } from "../identity/settings.ts";
import { countSetting, type Mode, SettingsError, urlSetting } from "../settings.ts";

/** Settings of the audit evidence (docs/decisions/0043-evidence.md). */
export const auditSettings = {
  /**
   * The destination of signed heads: `file:///var/lib/disburse/audit`. If absent, none are shipped.
   */
  AUDIT_SINK: z
    .string()
    .regex(
      /^(?:file:\/\/\/.*|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.'()/-]*)?)$/,
      "must be file:///folder or s3://bucket/prefix",
    )
    .optional(),
  /** The address of an S3-compatible store. The default is the address of the AWS region. */
  AUDIT_S3_ENDPOINT: urlSetting.optional(),
  /**
   * The number of days during which no one can remove a line from a bucket. The default is seven
   * years.
   */
  AUDIT_RETENTION_DAYS: countSetting(1).max(36_500).default(2_557),
  /** The interval in seconds between two statements while there are changes. */
  AUDIT_HEADS_SECONDS: countSetting(1).default(60),
} as const;

export type AuditSettings = z.output<z.ZodObject<typeof auditSettings>> &
  Pick<IdentitySettings, "TRUST_DOMAIN">;

export type EvidenceSettings = {
  readonly DISBURSE_MODE: Mode;
  readonly BACKEND_TLS_BY_MESH: boolean;
  readonly AUDIT_SINK?: unknown;
  readonly AUDIT_S3_ENDPOINT?: string | undefined;
};

/**
 * Refuses live mode without a sink. Only evidence outside the database can show that someone
 * changed the database. Also refuses a store without TLS.
 *
 * @throws {SettingsError} that names the setting.
 */
export function assertEvidence(settings: EvidenceSettings): void {
  const { DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: hasMesh } = settings;
  if (mode !== "live") return;
  if (settings.AUDIT_SINK === undefined) {
    throw new SettingsError("settings: AUDIT_SINK: is required in live mode");
  }
  if (!hasMesh && settings.AUDIT_S3_ENDPOINT?.startsWith("http:")) {
    const problem = "must be an https:// address in live mode";
    throw new SettingsError(`settings: AUDIT_S3_ENDPOINT: ${problem}`);
  }
}
