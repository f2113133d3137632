import {
  commonSettings,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The settings of the job that creates the sandbox in running services. */
export function readConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    /** A live platform has no sandbox. */
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
    /** Written at the end; an earlier one has the merchants. */
    SANDBOX_FILE: z.string(),
  });
}
