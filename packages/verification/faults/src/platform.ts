import type { Databases } from "@disburse/invariants/database-check.ts";
import {
  type FundedMerchant,
  fundMerchant,
  type Platform,
  startPlatform,
} from "@disburse/platform/platform.ts";
import { type PlatformOptions, unlimitedRate } from "@disburse/platform/services.ts";
import type { MongoClient } from "mongodb";

/** Where the services' databases and events are. */
export type Places = Omit<PlatformOptions, "settings"> & {
  /** The same databases past every proxy. */
  readonly mongo: () => MongoClient;
};

/** Six processes and a merchant with much money, all of which may be hurt. */
export type FaultPlatform = Platform & FundedMerchant & { readonly databases: () => Databases };

/** Faults are the only reason for a refusal here: neither rate nor the age of a quote is. */
const settings = {
  ...unlimitedRate,
  LOG_LEVEL: "error",
  QUOTE_TTL_SECONDS: "600",
  SANDBOX_SETTLE_MS: "200",
};

/** Starts the services and seeds the sandbox in them. */
export async function startFaultPlatform({ mongo, ...places }: Places): Promise<FaultPlatform> {
  const platform = await startPlatform({ ...places, settings });
  return {
    ...platform,
    ...(await fundMerchant(platform)),
    databases: () => ({ client: mongo(), prefix: places.databasePrefix }),
  };
}
