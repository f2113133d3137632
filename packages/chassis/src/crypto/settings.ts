import { z } from "zod";
import { type Environment, secret, urlSetting } from "../settings.ts";

/**
 * The encryption keys of a service. Either its own key ring or keys in AWS KMS are required
 * (docs/decisions/0044-secrets.md).
 */
export const sealingSettings = {
  /**
   * `KEY_ID:BASE64` pairs, separated by commas. The first key wraps data keys. All keys can unwrap
   * them.
   */
  ENCRYPTION_KEYS: secret(
    z
      .string()
      .regex(/^[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=(,[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=)*$/, {
        message: "must be one or more KEY_ID:KEY, joined by commas, with 32 bytes in base64 as KEY",
      })
      .optional(),
  ),
  /**
   * Key ids or ARNs, separated by commas, with the current one first. Aliases are refused because
   * an alias can be moved to another key.
   */
  AWS_KMS_KEY_IDS: z
    .string()
    .regex(
      /^(?!.*alias\/)[\w:/-]{1,256}(,[\w:/-]{1,256})*$/,
      "must be ids or ARNs of AWS KMS keys, joined by commas",
    )
    .transform((text) => text.split(",") as [string, ...string[]])
    .optional(),
  /** The address of a KMS server other than the region's own. */
  AWS_KMS_ENDPOINT: urlSetting.optional(),
} as const;

export type SealingSettings = z.output<z.ZodObject<typeof sealingSettings>>;

/**
 * Uses a service's own key ring, such as `ENCRYPTION_KEYS_PAYOUT`, instead of `ENCRYPTION_KEYS` if
 * it is set. This is for services that share an environment.
 */
export function withOwnRing(environment: Environment, service: string): Environment {
  const name = `ENCRYPTION_KEYS_${service.toUpperCase()}`;
  const { [name]: ring, [`${name}_FILE`]: file } = environment;
  if (!ring && !file) return environment;
  return { ...environment, ENCRYPTION_KEYS: ring, ENCRYPTION_KEYS_FILE: file };
}
