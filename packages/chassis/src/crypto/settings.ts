import { z } from "zod";
import { type Environment, secret, urlSetting } from "../settings.ts";

/**
 * The sealing keys of a service: its own ring, or keys in AWS KMS; one of the two is required
 * (docs/decisions/0044-secrets.md).
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
  /**
   * Ids or ARNs joined by commas, the current one first. Aliases are refused: one can be pointed at
   * another key.
   */
  AWS_KMS_KEY_IDS: z
    .string()
    .regex(/^(?!.*alias\/)[\w:/-]{1,256}(,[\w:/-]{1,256})*$/, "must be ids or ARNs of keys")
    .transform((text) => text.split(",") as [string, ...string[]])
    .optional(),
  /** Another KMS server than the region's own. */
  AWS_KMS_ENDPOINT: urlSetting.optional(),
} as const;

export type SealingSettings = z.output<z.ZodObject<typeof sealingSettings>>;

/**
 * Prefers a service's own ring, such as `ENCRYPTION_KEYS_PAYOUT`, to `ENCRYPTION_KEYS`, for
 * services that share an environment.
 */
export function withOwnRing(environment: Environment, service: string): Environment {
  const name = `ENCRYPTION_KEYS_${service.toUpperCase()}`;
  const { [name]: ring, [`${name}_FILE`]: file } = environment;
  if (!ring && !file) return environment;
  return { ...environment, ENCRYPTION_KEYS: ring, ENCRYPTION_KEYS_FILE: file };
}
