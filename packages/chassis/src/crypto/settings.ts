import { z } from "zod";
import { type Environment, secret, urlSetting } from "../settings.ts";

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
