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

/** Texts joined by commas, spaces around them ignored. */
const listSetting = z.string().transform((text) => text.split(",").map((each) => each.trim()));

/** The beneficiary service's settings; see README.md. */
export function readConfig(environment: Environment) {
  const settings = readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: databaseSetting("beneficiary"),
    COMPLIANCE_URL: serviceUrlSetting,
    ...sealingSettings,
    /** How often records that compliance did not answer for are looked after. */
    SCREENING_SWEEP_MS: countSetting(1).default(2_000),
    /** Links of a merchant that wait for their beneficiary's details. */
    OPEN_LINKS_PER_MERCHANT: countSetting(1).default(1_000),
    /** Networks that crypto beneficiaries may name, joined by commas. */
    OPEN_NETWORKS: listSetting
      .pipe(z.array(z.string().refine(isNetwork, "must be networks joined by commas")))
      .optional(),
    /** Codes of custody providers beside the known ones, joined by commas. */
    CUSTODY_PROVIDERS: listSetting
      .pipe(z.array(z.string().regex(/^[A-Z0-9_]{1,64}$/, "must be codes joined by commas")))
      .default([]),
  });
  return {
    ...settings,
    OPEN_NETWORKS: settings.OPEN_NETWORKS ?? openNetworks(settings.DISBURSE_MODE),
  };
}

/** A live rail has to declare the token's contract on BNB before BNB may be opened there. */
function openNetworks(mode: Mode): readonly Network[] {
  return mode === "live" ? networks.filter((network) => network !== "BNB") : networks;
}
