import type { Databases } from "@disburse/invariants/database-check.ts";
import {
  type FundedMerchant,
  fundMerchant,
  type Platform,
  type Places as ProcessPlaces,
  startPlatform,
} from "@disburse/platform/platform.ts";
import { type PlatformOptions, unlimitedRate } from "@disburse/platform/services.ts";
import type { MongoClient } from "mongodb";

export type Places = Omit<PlatformOptions, "settings"> & {
  /** A direct connection to the same databases. */
  readonly mongo: () => MongoClient;
};

export type FaultPlatform = Platform & FundedMerchant & { readonly databases: () => Databases };

/** Without a fault, nothing is refused: rate limits and quote expiry are far away. */
const settings = {
  ...unlimitedRate,
  LOG_LEVEL: "error",
  QUOTE_TTL_SECONDS: "600",
  SANDBOX_SETTLE_MS: "200",
};

export async function startFaultPlatform(
  { mongo, ...places }: Places,
  processes: ProcessPlaces = "apart",
): Promise<FaultPlatform> {
  const platform = await startPlatform({ ...places, settings }, processes);
  return {
    ...platform,
    ...(await fundMerchant(platform)),
    databases: () => ({ client: mongo(), prefix: places.databasePrefix }),
  };
}
