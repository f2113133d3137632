import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { type Places, startPlatform } from "@disburse/platform/platform.ts";
import type { StartExtras } from "@disburse/platform/processes.ts";
import { connectServices, type SandboxClients } from "@disburse/sandbox/clients.ts";
import type { MerchantName } from "@disburse/sandbox/sandbox-data.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { amqpUrl, freshPrefix } from "./broker.ts";
import { freshDatabase, mongodbUri } from "./engine.ts";

export type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>;

/**
 * Starts a platform with its own databases and queues. Services run in this process, or in another
 * one if a module must be preloaded.
 */
export const startTestPlatform = (
  settings: Environment = {},
  extras?: StartExtras,
  engineUri = mongodbUri,
) => start(settings, extras ?? "here", engineUri);

/** With these settings, payouts settle quickly and no test file exceeds the rate limit. */
const sharedSettings = { SANDBOX_SETTLE_MS: "100", RATE_LIMIT_BURST: "5000" };
let shared: Promise<TestPlatform> | undefined;

/**
 * Returns the platform that all test files of a worker share. Use it for files that only add data,
 * read only their own data, and restore every setting. These files use acme, because globex has
 * only its accounts. The platform ends with the worker.
 */
export const sharedPlatform = (): Promise<TestPlatform> => {
  shared ??= startTestPlatform(sharedSettings);
  return shared;
};

/** Starts a platform with separate service processes, which tests can kill and restart. */
export const startSeparatePlatform = (settings: Environment = {}) => start(settings, "apart");

async function start(settings: Environment, places: Places, engineUri = mongodbUri) {
  const options = {
    mongodbUri: engineUri,
    amqpUrl: amqpUrl(),
    databasePrefix: `${freshDatabase("e2e")}_`,
    busNamespace: freshPrefix("e2e").replaceAll(".", "-"),
    settings,
  };
  const platform = await startPlatform(options, places);
  const { merchants, accounts } = platform.sandbox;
  const people = new Map<string, ReturnType<typeof connectServices>>();
  const stop = async () => {
    for (const { close } of people.values()) close();
    await platform.stop();
  };
  return {
    ...platform,
    stop,
    /** Returns clients for every service, with the token of a person with every role. */
    as: (id: string): SandboxClients => {
      const known = people.get(id) ?? connectServices(platform.url, platform.trust.person(id));
      people.set(id, known);
      return known.rpcs;
    },
    apiKey: (merchant: MerchantName) => merchants[merchant].api_key,
    /** An API key with another root. It approves payouts. */
    approverKey: (merchant: "acme" | "globex") => merchants[merchant].approver_api_key ?? "",
    /** Returns a sandbox account in a currency, funded or empty. */
    accountId: (merchant: MerchantName, currency: string, funded = true) => {
      const found = accounts.find(
        (each) =>
          each.merchant === merchant &&
          each.currency === currency &&
          /[1-9]/.test(each.available) === funded,
      );
      if (found === undefined)
        throw new Error(`${merchant} has no ${funded ? "funded" : "empty"} account in ${currency}`);
      return found.account_id;
    },
    /** Opens a service's database as the service does. The caller must close it. */
    openDatabase: (service: ServiceName) => {
      const name = platform.database(service);
      return connectDatabase(engineUri(name), name);
    },
  };
}
