import {
  busSettings,
  commonSettings,
  countSetting,
  databaseSetting,
  type Environment,
  readSettings,
  SettingsError,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { z } from "zod";
import { scenarios } from "./rails/sandbox/scenarios.ts";

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

/** `lost=5,duplicate=10`: names of scenarios and whole percents, 100 at most together. */
const sharesSetting = z
  .string()
  .regex(/^[a-z-]+=\d{1,3}(,[a-z-]+=\d{1,3})*$/, "must be name=percent, joined by commas")
  .transform((text) =>
    Object.fromEntries(
      text.split(",").map((share): [string, number] => {
        const [name = "", percent] = share.split("=");
        return [name, Number(percent)];
      }),
    ),
  )
  .pipe(z.partialRecord(z.enum(scenarios), z.number()))
  .refine(
    (shares) => Object.values(shares).reduce((sum, each) => sum + each, 0) <= 100,
    "must be 100 at most together",
  );

/** The payout service's settings; see README.md. */
export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...busSettings,
    DATABASE: databaseSetting("payout"),
    BENEFICIARY_URL: serviceUrlSetting,
    QUOTE_URL: serviceUrlSetting,
    /** How long a simulated transfer takes. */
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
    /** Whether every transfer takes that long, or the average. */
    SANDBOX_DELAY: z.enum(["fixed", "uniform", "long-tailed"]).default("fixed"),
    /** The seed of the simulated rail's random choices. */
    SANDBOX_SEED: countSetting().default(0),
    /** Of a hundred transfers, how many get a scenario: `lost=5,duplicate=10`. */
    SANDBOX_SCENARIOS: sharesSetting.default({}),
    /** Payouts that are worked on concurrently. */
    RAIL_WORKERS: countSetting(1).default(64),
    /** Which transfers go to which rail: the first that matches. */
    RAIL_ROUTES: routesSetting.default([{ rail: "sandbox", transferType: undefined }]),
    /** A payout that is open for so long after its submission gets an exception. */
    STUCK_AFTER_SECONDS: countSetting(1).default(86_400),
  });
  if (config.DISBURSE_MODE === "live") {
    throw new SettingsError("DISBURSE_MODE: live needs a rail, and none is configured yet");
  }
  return config;
}
