import { isIP } from "node:net";
import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  parsedSetting,
  readSettings,
  type ServiceUrls,
  SettingsError,
  secret,
  serviceUrlSetting,
  urlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { isReservedHeader } from "./endpoints/rules/header-names.ts";
import { type MailServer, readSmtpUrl } from "./mails/smtp.ts";
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
    /** The mail server. Without it the notifier sends no e-mails. */
    SMTP_URL: secret(parsedSetting(readSmtpUrl).optional()),
    /** The sender of e-mails: `payouts@example.com` or `Payouts <payouts@example.com>`. */
    MAIL_FROM: z
      .string()
      .regex(
        /^(?:[^<>@\r\n]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
        "must be an address or NAME <ADDRESS>",
      )
      .optional(),
    MAIL_DIGEST_SECONDS: countSetting(1).default(600),
    /** Origin of the members' console, for the links of e-mails. */
    CONSOLE_URL: urlSetting.optional(),
    /** The gateway's RPCs, which own members and their addresses. */
    GATEWAY_URL: serviceUrlSetting.optional(),
  });
  if (config.DISBURSE_MODE === "live" && config.PAYOUT_URL === undefined) {
    throw new SettingsError("settings: PAYOUT_URL: is required in live mode");
  }
  return { ...config, mails: mailSettings(config) };
}

/** Returns `undefined` without a mail server. Throws if a setting beside it is missing. */
function mailSettings(config: {
  readonly SMTP_URL?: MailServer | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly CONSOLE_URL?: string | undefined;
  readonly GATEWAY_URL?: ServiceUrls | undefined;
  readonly MAIL_DIGEST_SECONDS: number;
}) {
  const { SMTP_URL: server, MAIL_FROM: from, CONSOLE_URL: url, GATEWAY_URL: gatewayUrl } = config;
  if (server === undefined) return undefined;
  if (from === undefined || url === undefined || gatewayUrl === undefined) {
    throw new SettingsError(
      "settings: SMTP_URL: also requires MAIL_FROM, CONSOLE_URL and GATEWAY_URL",
    );
  }
  const digestMs = config.MAIL_DIGEST_SECONDS * 1_000;
  return { server, from, consoleUrl: new URL(url).origin, gatewayUrl, digestMs };
}
