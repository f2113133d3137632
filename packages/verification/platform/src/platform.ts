import { connectServices, retryUntilAvailable } from "@disburse/sandbox/clients.ts";
import { seedSandbox } from "@disburse/sandbox/seed.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import type { StartExtras } from "./processes.ts";
import { configureServices, type PlatformOptions } from "./services.ts";

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Timeout for starting. On two cores, six processes start in this time. */
const startTimeoutMs = 60_000;

/**
 * The processes of the services: separate processes, this process, one other process for each
 * replica, or one other process with extras.
 */
export type Places = "apart" | "here" | "together" | StartExtras;

/**
 * Starts every service and seeds the sandbox over RPCs. By default each service runs its own
 * `main.ts`. `clients` call as a person with every role. `seeders` call as the job that creates the
 * sandbox, without a credit limit.
 */
export async function startPlatform(options: PlatformOptions, places: Places = "apart") {
  const services = await configureServices(options);
  const { secrets } = services;
  const trust = createTrust(secrets);
  const persons = connectServices(services.url, trust.person("verification"));
  const sandboxes = connectServices(services.url, trust.service("sandbox"));
  const { rpcs: clients } = persons;
  const stop = async () => {
    persons.close();
    sandboxes.close();
    await services.stop();
  };
  try {
    if (places === "apart") await services.startAll();
    else if (places === "here") await services.startHere();
    else if (places === "together") {
      for (const replica of services.replicas) await replica.startTogether();
    } else await services.startTogether(places);
    await retryUntilAvailable(() => clients.keys.listKeys({ merchantId: "none" }), startTimeoutMs);
    const sandbox = await seedSandbox(sandboxes.rpcs, undefined);
    return { ...services, trust, clients, seeders: sandboxes.rpcs, sandbox, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A sandbox merchant with enough money for any number of small payouts. */
export type FundedMerchant = Awaited<ReturnType<typeof fundMerchant>>;

/** Enough for a million of the load's payouts. */
export const ampleFunds = "50000000.00";

/** Credits the sandbox's first merchant with more than the sandbox's opening balance. */
export async function fundMerchant({ seeders, sandbox }: Platform) {
  const { merchant_id: merchantId, api_key: apiKey } = sandbox.merchants.acme;
  const credit = async (accountId: string, amount: string, key: string) => {
    const mutation = { operationId: key };
    const note = "verification";
    await seeders.payout.creditAccount({ mutation, merchantId, accountId, amount, note });
    return accountId;
  };
  const { account_id } =
    sandbox.accounts.find((each) => each.merchant === "acme" && each.currency === "USD") ?? {};
  return {
    merchantId,
    apiKey,
    accountId: await credit(account_id ?? "", ampleFunds, "funds"),
    /** Opens another USD account with this balance. Returns its id. */
    openAccount: async (amount: string) => {
      const key = `open:${crypto.randomUUID()}`;
      const opening = { mutation: { operationId: key }, merchantId };
      const { account } = await seeders.payout.openAccount({ ...opening, currencyCode: "USD" });
      return credit(account?.id ?? "", amount, `${key}:funds`);
    },
  };
}
