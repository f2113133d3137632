import { busSettings } from "@disburse/chassis/amqp/settings.ts";
import { approvalSettings } from "@disburse/chassis/approvals/settings.ts";
import { sealingSettings } from "@disburse/chassis/crypto/settings.ts";
import { commonSettings, databaseSetting } from "@disburse/chassis/service/settings.ts";
import {
  countSetting,
  type Environment,
  type Mode,
  readSettings,
  SettingsError,
  secret,
  serviceUrlSetting,
} from "@disburse/chassis/settings.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { z } from "zod";
import { railPackages } from "./rails/packages.ts";
import { scenarios } from "./rails/sandbox/scenarios.ts";

/**
 * Example: `[{"currency":"USD","transfer_type":"ACH","rail":"sandbox"}]`. A route without a
 * condition matches any value.
 */
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

/**
 * Example: `lost=5,duplicate=10`. Maps scenario names to whole percentages, at most 100 in total.
 */
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
    "must add up to at most 100",
  );

/** The default daily limits for credits and reversals by one operator alone. */
const sandboxLimits =
  "USD=100000,USDC=100000,USDC_ETH=100000,USDT_ETH=100000,USDC_COIN_POLYGON=100000," +
  "PYUSD_SOL=100000,USDP_SOL=100000,USDT_TRON=100000,USDC_SOL=100000,INR=8000000,EUR=100000," +
  "BTC=1,ETH=30,SOL=600,MATIC_POLYGON=200000";

/** Example: `USD=100000.00,BTC=1`. Parsed to minor units of each currency. */
const amountsSetting = z.string().transform((text, context): ReadonlyMap<string, bigint> => {
  const amounts = new Map<string, bigint>();
  for (const each of text.split(",").filter((part) => part !== "")) {
    const [currency = "", amount = ""] = each.split("=");
    const minor = findCurrency(currency) && parseAmount(amount, currency);
    if (minor !== undefined && !isRefused(minor)) amounts.set(currency, minor);
    else context.addIssue({ code: "custom", message: "must be currency=amount, joined by commas" });
  }
  return amounts;
});

/** The settings of rail packages. All are secrets, because a node's URL may contain a key. */
const railSettings: Readonly<Record<string, z.ZodOptional<z.ZodString>>> = Object.fromEntries(
  railPackages.map(({ setting }) => [setting, secret(z.string().optional())]),
);

/** Reads the payout service's settings; see docs/reference/services/payout.md. */
export function readConfig(environment: Environment) {
  const config = readSettings(environment, {
    ...commonSettings,
    ...approvalSettings,
    ...busSettings,
    DATABASE: databaseSetting("payout"),
    BENEFICIARY_URL: serviceUrlSetting,
    QUOTE_URL: serviceUrlSetting,
    /** The duration of a simulated transfer. */
    SANDBOX_SETTLE_MS: countSetting().default(1_000),
    /**
     * The distribution of simulated durations. With `fixed`, every transfer takes
     * `SANDBOX_SETTLE_MS`; otherwise that is the average.
     */
    SANDBOX_DELAY: z.enum(["fixed", "uniform", "long-tailed"]).default("fixed"),
    /** The seed of the simulated rail's random choices. */
    SANDBOX_SEED: countSetting().default(0),
    /** Percentages of transfers with a scenario: `lost=5,duplicate=10`. */
    SANDBOX_SCENARIOS: sharesSetting.default({}),
    /** The number of payouts that a process works on concurrently. */
    RAIL_WORKERS: countSetting(1).default(64),
    /** The routes that send transfers to rails. The first matching route applies. */
    RAIL_ROUTES: routesSetting.optional(),
    /** A payout that is open for this long after its submission gets an exception. */
    STUCK_AFTER_SECONDS: countSetting(1).default(86_400),
    /**
     * The amounts that one operator may credit and reverse alone within a day. A currency that the
     * setting omits has a limit of zero. Live mode has no default.
     */
    APPROVAL_CREDIT_LIMITS: amountsSetting.optional(),
  });
  const mode = config.DISBURSE_MODE;
  const texts = readSettings(environment, railSettings);
  const rails = railPackages.map((each) => each.configure(texts[each.setting], mode));
  const names = rails.flatMap((each) => each.names);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) {
    const settings = railPackages.map(({ setting }) => setting).join(", ");
    throw new SettingsError(`settings: ${settings}: two rails are named ${repeated}`);
  }
  const needsSealer = rails.some((each) => each.needsSealer);
  const sealing = needsSealer ? readSettings(environment, sealingSettings) : undefined;
  const routes = config.RAIL_ROUTES ?? sandboxRoutes(mode);
  if (mode === "live") assertLiveRails(routes, names);
  const limits = config.APPROVAL_CREDIT_LIMITS;
  const credits = limits ?? amountsSetting.parse(mode === "live" ? "" : sandboxLimits);
  return { ...config, RAIL_ROUTES: routes, APPROVAL_CREDIT_LIMITS: credits, rails, sealing };
}

type Routes = z.output<typeof routesSetting>;

/**
 * Returns the default routes, which send all transfers to the sandbox rail. In live mode there are
 * none, because operators must configure every route.
 */
function sandboxRoutes(mode: Mode): Routes {
  return mode === "live" ? [] : [{ rail: "sandbox", transferType: undefined }];
}

/** In live mode, requires at least one real rail and routes to real rails only. */
function assertLiveRails(routes: Routes, rails: readonly string[]): void {
  if (rails.length === 0) {
    const settings = railPackages.map(({ setting }) => setting).join(" or ");
    throw new SettingsError(`settings: DISBURSE_MODE: live mode requires a rail: set ${settings}`);
  }
  if (routes.length === 0) throw new SettingsError("settings: RAIL_ROUTES: is required");
  const problems = routes.flatMap(({ rail }, at) =>
    rail === "sandbox" ? [`route ${at + 1}: the simulated rail is not allowed in live mode`] : [],
  );
  if (problems.length > 0) throw new SettingsError(`settings: RAIL_ROUTES: ${problems.join("; ")}`);
}
