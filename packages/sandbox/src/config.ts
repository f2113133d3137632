import {
  commonSettings,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The settings of the job that makes the sandbox in services that run elsewhere. */
export function readConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    /** A live platform gets no merchants that nobody has looked at. */
    DISBURSE_MODE: z.literal("sandbox"),
    SERVICE_TOKEN: commonSettings.SERVICE_TOKEN,
    BENEFICIARY_URL: serviceUrlSetting,
    COMPLIANCE_URL: serviceUrlSetting,
    GATEWAY_URL: serviceUrlSetting,
    NOTIFIER_URL: serviceUrlSetting,
    PAYOUT_URL: serviceUrlSetting,
    QUOTE_URL: serviceUrlSetting,
    /** Where merchants reach the gateway. */
    BASE_URL: serviceUrlSetting,
    /** Written at the end; an earlier one says who the merchants are. */
    SANDBOX_FILE: z.string(),
  });
}
