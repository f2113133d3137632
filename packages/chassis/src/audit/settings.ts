import { z } from "zod";
import type { IdentitySettings } from "../identity/settings.ts";
import { countSetting, type Mode, SettingsError, urlSetting } from "../settings.ts";

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

/** What evidence is kept with. */
export type EvidenceSettings = {
  readonly DISBURSE_MODE: Mode;
  readonly BACKEND_TLS_BY_MESH: boolean;
  readonly AUDIT_SINK?: unknown;
  readonly AUDIT_S3_ENDPOINT?: string | undefined;
};

/**
 * Refuses live mode without a sink: money does not move where nothing outside the database could
 * show that it was changed. Nor is a store believed to have kept a line that answers without TLS.
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
