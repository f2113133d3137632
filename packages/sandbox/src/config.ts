import {
  commonSettings,
  type Environment,
  readSettings,
  urlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The settings of the job that creates the sandbox in running services. */
export function readConfig(environment: Environment = process.env) {
  return readSettings(environment, {
    /** A live platform has no sandbox. */
    DISBURSE_MODE: z.literal("sandbox"),
    SERVICE_TOKEN: commonSettings.SERVICE_TOKEN,
    BENEFICIARY_URL: urlSetting,
    COMPLIANCE_URL: urlSetting,
    GATEWAY_URL: urlSetting,
    NOTIFIER_URL: urlSetting,
    PAYOUT_URL: urlSetting,
    QUOTE_URL: urlSetting,
    /** Where merchants reach the gateway. */
    BASE_URL: urlSetting,
    /** Written at the end; an earlier one has the merchants. */
    SANDBOX_FILE: z.string(),
  });
}
