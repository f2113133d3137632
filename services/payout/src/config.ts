import {
  busSettings,
  commonSettings,
  countSetting,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The payout service's settings; see README.md. */
export function readConfig(environment: Environment) {
  return readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: z.string().default("disburse_payout"),
    BENEFICIARY_URL: serviceUrlSetting,
    QUOTE_URL: serviceUrlSetting,
    /** How long a simulated transfer takes. */
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
    /** Payouts that are worked on side by side. */
    RAIL_WORKERS: countSetting(1).default(8),
  });
}
