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
  shareSetting,
} from "@disburse/chassis/settings.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { z } from "zod";
import { type CountryRules, isCountry } from "./countries/rules/country.ts";
import { isAuthentic, listSourcesSetting } from "./lists/sources/setting.ts";
import { walletProviderSettings } from "./wallets/provider-setting.ts";

/**
 * The default of `APPROVAL_CLEAR_SCORE` in live mode. Hits from this score on have practically the
 * listed name.
 */
const clearScoreDefault = 0.95;

/** Reads ISO 3166 alpha-2 codes, joined by commas. */
const countriesSetting = z
  .string()
  .transform((text) => text.split(",").map((code) => code.trim()))
  .refine((codes) => codes.every(isCountry), {
    error: "must be ISO 3166 alpha-2 codes of countries, joined by commas",
  })
  .default([]);

/** docs/reference/services/compliance.md describes the settings. */
export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...approvalSettings,
    ...busSettings,
    DATABASE: databaseSetting("compliance"),
    ...sealingSettings,
    /** The maximum days between two full comparisons of a subject, even if no list changed. */
    RESCREEN_DAYS: countSetting(1).default(30),
    /** Lists that the service imports automatically from their publishers. */
    LIST_SOURCES: listSourcesSetting,
    /** The interval at which this process detects lists that another process imported. */
    LISTS_POLL_MS: countSetting(100).default(2_000),
    ...walletProviderSettings,
    /** The payout service, which returns the payouts that an alert holds. */
    PAYOUT_URL: serviceUrlSetting,
    /** The hours within which an alert must be decided, by the verdict of its hit. */
    ALERT_HOURS_REVIEW: countSetting(1).default(72),
    ALERT_HOURS_BLOCK: countSetting(1).default(24),
    /**
     * The score from which clearing a hit needs a second person. The default in live mode is 0.95.
     */
    APPROVAL_CLEAR_SCORE: shareSetting.optional(),
    /** Countries whose parties and banks a reviewer decides about, and those that are blocked. */
    COUNTRIES_REVIEW: countriesSetting,
    COUNTRIES_BLOCK: countriesSetting,
    /** Lists whose hits need a second person to clear, joined by commas. */
    APPROVAL_CLEAR_LISTS: z
      .string()
      .transform((text) => new Set(text.split(",").map((list) => list.trim())))
      .default(new Set()),
  });
  if (config.DISBURSE_MODE === "live" && !config.LIST_SOURCES.every(isAuthentic)) {
    throw new SettingsError("settings: LIST_SOURCES: must contain only https URLs in live mode");
  }
  const given = config.APPROVAL_CLEAR_SCORE;
  const byDefault = config.DISBURSE_MODE === "live" ? clearScoreDefault : undefined;
  const score = given === undefined ? byDefault : Number(formatDecimal(given));
  const countries: CountryRules = new Map([
    ...config.COUNTRIES_REVIEW.map((code) => [code, "review"] as const),
    ...config.COUNTRIES_BLOCK.map((code) => [code, "block"] as const),
  ]);
  return { ...config, countries, APPROVAL_CLEAR_SCORE: score };
}
