import { z } from "zod";
import { secret } from "../settings.ts";
import { brokerAddressesOf } from "./addresses.ts";

const addressForm = /^amqps?:\/\//;

/**
 * The broker's address: `amqp://…`, or the addresses of a cluster's nodes, separated by commas. The
 * standalone platform passes a bus instead of this setting.
 */
export const busSettings = {
  AMQP_URL: secret(
    z
      .string()
      .refine(
        (text) => brokerAddressesOf(text).every((address) => addressForm.test(address)),
        "must be an amqp:// address, or several separated by commas",
      )
      .optional(),
  ),
  /** Prefix of exchange and queue names, so that deployments can share a broker. */
  BUS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default("disburse"),
} as const;

export type BusSettings = z.output<z.ZodObject<typeof busSettings>>;
