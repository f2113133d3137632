import {
  busSettings,
  commonSettings,
  countSetting,
  databaseSetting,
  type Environment,
  encryptionKeysSetting,
  readSettings,
  SettingsError,
} from "@disburse/chassis/settings.ts";
import { isAuthentic, listSourcesSetting } from "./lists/sources/setting.ts";
import { walletProviderSettings } from "./wallets/provider-setting.ts";

/** The compliance service's settings; see README.md. */
export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: databaseSetting("compliance"),
    /** Seals what a screening keeps of its parties. */
    ENCRYPTION_KEYS: encryptionKeysSetting,
    /** Who is monitored is compared with all lists at least so often, changed or not. */
    RESCREEN_DAYS: countSetting(1).default(30),
    /** Lists that are kept current by themselves. */
    LIST_SOURCES: listSourcesSetting,
    /** How soon this process notices a list that another process imported. */
    LISTS_POLL_MS: countSetting(100).default(2_000),
    ...walletProviderSettings,
  });
  if (config.DISBURSE_MODE === "live" && !config.LIST_SOURCES.every(isAuthentic)) {
    throw new SettingsError("settings: LIST_SOURCES: must be https URLs alone in live mode");
  }
  return config;
}
