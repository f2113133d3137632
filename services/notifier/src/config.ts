import { isIP } from "node:net";
import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  readSettings,
  SettingsError,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { isReservedHeader } from "./endpoints/rules/header-names.ts";
import { networks } from "./sender/rules/address.ts";

const portMax = 65_535;

export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...approvalSettings,
    ...busSettings,
    DATABASE: databaseSetting("notifier"),
    ...sealingSettings,
    WEBHOOK_SIGNATURE_HEADER: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, "must be a header name")
      .refine(
        (name) => !isReservedHeader(name),
        "must not be a header that HTTP or the webhook already uses",
      )
      .default("X-SERVICE-Signature"),
    /** If true, a URL is verified before it gets events. Live mode always verifies URLs. */
    WEBHOOK_VERIFY_URLS: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
    /** The payout service, from which lost events are fetched again. Live mode requires it. */
    PAYOUT_URL: serviceUrlSetting.optional(),
    GAP_SWEEP_SECONDS: countSetting(1).default(300),
    /** The source address of webhooks. It must be a local address of this machine. */
    WEBHOOK_SOURCE_ADDRESS: z
      .string()
      .refine((text) => isIP(text) !== 0, "must be an IP address")
      .optional(),
    /** The deployment's own networks in the form `CIDR,CIDR`. No webhook may reach them. */
    WEBHOOK_REFUSED_NETWORKS: z
      .string()
      .transform((text, { addIssue }) => {
        try {
          return networks(text.split(","));
        } catch {
          addIssue("must be networks in CIDR form, joined by commas");
          return z.NEVER;
        }
      })
      .optional(),
    /**
     * The platform's own ports on this machine, for example `8080,27017`. No webhook may reach
     * them.
     */
    WEBHOOK_REFUSED_PORTS: z
      .string()
      .regex(/^\d{1,5}(,\d{1,5})*$/, "must be ports, joined by commas")
      .transform((text) => new Set(text.split(",").map(Number)))
      .refine((ports) => [...ports].every((port) => port >= 1 && port <= portMax), {
        message: "must be ports from 1 to 65535",
      })
      .optional(),
  });
  if (config.DISBURSE_MODE === "live" && config.PAYOUT_URL === undefined) {
    throw new SettingsError("settings: PAYOUT_URL: is required in live mode");
  }
  return config;
}
