import type { Databases } from "@disburse/invariants/database-check.ts";
import {
  type FundedMerchant,
  fundMerchant,
  type Platform,
  startPlatform,
} from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import type { Db } from "mongodb";
import { beneficiaryExchange, railMs, type Target } from "../load/scenarios.ts";
import { newSeen, senderOf } from "../load/sender.ts";
import type { Backends } from "./backends.ts";

/** A platform of six processes, with one merchant whose account has money in it. */
export type BenchPlatform = Platform &
  FundedMerchant & {
    readonly name: string;
    readonly target: Target;
    readonly db: (service: ServiceName) => Db;
    readonly databases: Databases;
  };

/** No request of the bench is refused for its rate, and no quote expires in it. */
const settings = {
  ...unlimitedRate,
  LOG_LEVEL: "warn",
  QUOTE_TTL_SECONDS: "3600",
  SANDBOX_SETTLE_MS: String(railMs),
};

/** Starts a platform in databases of its own and seeds the sandbox in it. */
export async function startBenchPlatform(name: string, backends: Backends): Promise<BenchPlatform> {
  const { mongodbUri, amqpUrl, mongo } = backends;
  const databasePrefix = `bench_${name}_`;
  const places = { mongodbUri, amqpUrl, databasePrefix, busNamespace: `bench-${name}` };
  const platform = await startPlatform({ ...places, settings });
  try {
    const merchant = await fundMerchant(platform);
    const { baseUrl } = platform;
    const { apiKey, accountId } = merchant;
    const send = senderOf({ baseUrl, apiKey }, newSeen());
    const beneficiaryId = await send(beneficiaryExchange());
    return {
      ...platform,
      ...merchant,
      name,
      target: { baseUrl, apiKey, accountId, beneficiaryId },
      db: (service) => mongo.db(platform.database(service)),
      databases: { client: mongo, prefix: databasePrefix },
    };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}
