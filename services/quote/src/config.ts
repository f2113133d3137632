import {
  commonSettings,
  countSetting,
  databaseSetting,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";

/** The quote service's settings; see README.md. */
export function readConfig(environment: Environment) {
  return readSettings(environment, {
    ...commonSettings,
    DATABASE: databaseSetting("quote"),
    BENEFICIARY_URL: serviceUrlSetting,
    PAYOUT_URL: serviceUrlSetting,
    /** How long a quote holds where its corridor does not say. */
    QUOTE_TTL_SECONDS: countSetting(1).default(300),
  });
}
