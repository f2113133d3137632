import {
  busSettings,
  commonSettings,
  countSetting,
  type Environment,
  readSettings,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** `[{"currency":"USD","transfer_type":"ACH","rail":"sandbox"}]`; a condition left out: any. */
const routesSetting = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z
        .strictObject({
          currency: z.string().optional(),
          network: z.string().optional(),
          transfer_type: z.string().optional(),
          rail: z.string(),
        })
        .transform(({ transfer_type: transferType, ...route }) => ({ ...route, transferType })),
    ),
  );

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
    /** Which transfers go to which rail: the first that matches. */
    RAIL_ROUTES: routesSetting.default([{ rail: "sandbox", transferType: undefined }]),
    /** A payout that is open for so long after its submission is put before the operators. */
    STUCK_AFTER_SECONDS: countSetting(1).default(86_400),
  });
}
