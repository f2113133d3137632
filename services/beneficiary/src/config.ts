import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  type Mode,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { isNetwork, type Network, networks } from "@disburse/forms/values/networks.ts";
import { z } from "zod";

/** Comma-separated texts; spaces around them are ignored. */
const listSetting = z.string().transform((text) => text.split(",").map((each) => each.trim()));

export function readConfig(environment: Environment) {
  const settings = readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: databaseSetting("beneficiary"),
    COMPLIANCE_URL: serviceUrlSetting,
    ...sealingSettings,
    /** Interval of the sweep that retries unanswered screenings. */
    SCREENING_SWEEP_MS: countSetting(1).default(2_000),
    /** Maximum open links of a merchant. */
    OPEN_LINKS_PER_MERCHANT: countSetting(1).default(1_000),
    /** Networks of crypto beneficiaries, separated by commas. */
    OPEN_NETWORKS: listSetting
      .pipe(z.array(z.string().refine(isNetwork, "must be networks, joined by commas")))
      .optional(),
    /** Codes of custody providers besides the known ones, separated by commas. */
    CUSTODY_PROVIDERS: listSetting
      .pipe(
        z.array(
          z.string().regex(/^[A-Z0-9_]{1,64}$/, "must be custody provider codes, joined by commas"),
        ),
      )
      .default([]),
  });
  return {
    ...settings,
    OPEN_NETWORKS: settings.OPEN_NETWORKS ?? openNetworks(settings.DISBURSE_MODE),
  };
}

/** Live mode excludes BNB until a live rail declares the token's contract there. */
function openNetworks(mode: Mode): readonly Network[] {
  return mode === "live" ? networks.filter((network) => network !== "BNB") : networks;
}
