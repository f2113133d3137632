import type { Databases } from "@disburse/invariants/database-check.ts";
import { type Platform, startPlatform } from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import type { Db, MongoClient } from "mongodb";
import { railMs } from "../load/scenarios.ts";
import type { Pids } from "../measures/counters.ts";
import type { Backends } from "./backends.ts";

export type BenchPlatform = Platform & {
  readonly name: string;
  readonly mongo: MongoClient;
  readonly pids: Pids;
  readonly db: (service: ServiceName) => Db;
  readonly databases: Databases;
};

/** The product's default: logs are part of a payout's cost. */
export const logLevel = "info";
/** Keeps the last lines, which show why a service failed. */
const logChunksMax = 200;
/** With these settings, no request exceeds its rate limit and no quote expires during a run. */
const settings = {
  ...unlimitedRate,
  LOG_LEVEL: logLevel,
  QUOTE_TTL_SECONDS: "3600",
  SANDBOX_SETTLE_MS: String(railMs),
};

/** Starts a platform with its own databases and a sandbox. `ends` stops it. */
export async function startBenchPlatform(
  name: string,
  { mongodbUri, amqpUrl, mongo, pids }: Backends,
  ends: AsyncDisposableStack,
): Promise<BenchPlatform> {
  const databasePrefix = `bench_${name}_`;
  const places = { mongodbUri, amqpUrl, databasePrefix, busNamespace: `bench-${name}` };
  const platform = await startPlatform({ ...places, settings, logChunksMax });
  ends.defer(platform.stop);
  const services = serviceNames.map((service) => [service, platform.pid(service)] as const);
  return {
    ...platform,
    name,
    mongo,
    pids: { ...Object.fromEntries(services), ...pids, load: process.pid },
    db: (service) => mongo.db(platform.database(service)),
    databases: { client: mongo, prefix: databasePrefix },
  };
}
