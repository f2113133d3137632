import {
  commonSettings,
  countSetting,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The quote service's settings; see README.md. */
export function readConfig(environment: Environment) {
  return readSettings(environment, {
    ...commonSettings,
    DATABASE: z.string().default("disburse_quote"),
    BENEFICIARY_URL: serviceUrlSetting,
    PAYOUT_URL: serviceUrlSetting,
    /** How long a quote holds where its corridor does not say. */
    QUOTE_TTL_SECONDS: countSetting(1).default(300),
  });
}
