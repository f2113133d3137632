import { isIP } from "node:net";
import {
  busSettings,
  commonSettings,
  type Environment,
  encryptionKeysSetting,
  readSettings,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { networks } from "./domain/address.ts";

/** Headers that an attempt sets by itself; the signature cannot stand in one of them. */
const takenHeaders = /^(webhook-.*|content-.*|accept-encoding|user-agent|host|connection)$/i;

function isNetworks(text: string): boolean {
  try {
    networks(text.split(","));
    return true;
  } catch {
    return false;
  }
}

/** The notifier's settings; see README.md. */
export function readConfig(environment: Environment) {
  return readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: z.string().default("disburse_notifier"),
    ENCRYPTION_KEYS: encryptionKeysSetting,
    WEBHOOK_SIGNATURE_HEADER: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, "must be a header name")
      .refine((name) => !takenHeaders.test(name), "must not be a header that has another meaning")
      .default("X-SERVICE-Signature"),
    /** Where webhooks come from; a local address of this machine. */
    WEBHOOK_SOURCE_ADDRESS: z
      .string()
      .refine((text) => isIP(text) !== 0, "must be an IP address")
      .optional(),
    /** Networks that no webhook may reach, `CIDR,CIDR`: those of the deployment itself. */
    WEBHOOK_REFUSED_NETWORKS: z
      .string()
      .refine(isNetworks, "must be networks in CIDR form, joined by commas")
      .transform((text) => networks(text.split(",")))
      .optional(),
  });
}
