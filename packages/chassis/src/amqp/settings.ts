import { z } from "zod";
import { secret } from "../settings.ts";

/**
 * The broker's address: `amqp://…`. The standalone platform passes a bus instead of this setting.
 */
export const busSettings = {
  AMQP_URL: secret(
    z
      .string()
      .regex(/^amqps?:\/\//, "must be an amqp:// address")
      .optional(),
  ),
  /** Prefix of exchange and queue names, so that deployments can share a broker. */
  BUS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default("disburse"),
} as const;

export type BusSettings = z.output<z.ZodObject<typeof busSettings>>;
