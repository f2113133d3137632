import { z } from "zod";
import { secret } from "../settings.ts";

/** Where events are exchanged: `amqp://…`; the standalone platform hands a bus over instead. */
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

/** Settings of a service that publishes or consumes events. */
export type BusSettings = z.output<z.ZodObject<typeof busSettings>>;
