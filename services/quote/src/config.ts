import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  flagSetting,
  readSettings,
  serviceUrlSetting,
  shareSetting,
} from "@disburse/chassis/settings.ts";

export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...approvalSettings,
    DATABASE: databaseSetting("quote"),
    BENEFICIARY_URL: serviceUrlSetting,
    PAYOUT_URL: serviceUrlSetting,
    /** Default lifetime of a quote; a corridor can set its own. */
    QUOTE_TTL_SECONDS: countSetting(1).default(300),
    /** A rate that moves by a larger share within a day needs a second person. */
    APPROVAL_RATE_MOVE: shareSetting.default({ units: 1n, scale: 1 }),
    /**
     * Requires a second operator to change or open a corridor. Default: on in live mode, else off.
     */
    APPROVAL_CORRIDORS: flagSetting.optional(),
  });
  return {
    ...config,
    APPROVAL_CORRIDORS: config.APPROVAL_CORRIDORS ?? config.DISBURSE_MODE === "live",
  };
}
