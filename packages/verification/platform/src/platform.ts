import { connectServices, retryUntilAvailable } from "@disburse/sandbox/clients.ts";
import { seedSandbox } from "@disburse/sandbox/seed.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import type { StartExtras } from "./processes.ts";
import { configureServices, type PlatformOptions } from "./services.ts";

/** The whole platform with the sandbox in it. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Six processes start on two cores. */
const startTimeoutMs = 60_000;

/** How the services of a platform run: each as a process, all in this one, or all in another. */
export type Places = "apart" | "here" | StartExtras;

/**
 * Starts every service, by default each from its own `main.ts`, and seeds the sandbox over their
 * RPCs. `clients` call as one person with every role, `seeders` as the job that makes the sandbox,
 * for which no credit is too large.
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
    else await services.startTogether(places);
    await retryUntilAvailable(() => clients.keys.listKeys({ merchantId: "none" }), startTimeoutMs);
    const sandbox = await seedSandbox(sandboxes.rpcs, undefined);
    return { ...services, trust, clients, seeders: sandboxes.rpcs, sandbox, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A merchant of the sandbox with money for any number of small payouts. */
export type FundedMerchant = Awaited<ReturnType<typeof fundMerchant>>;

/** Enough for a million payouts of the amounts that load asks for. */
export const ampleFunds = "50000000.00";

/** Credits the sandbox's first merchant with more money than the sandbox gives. */
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
    /** Its US dollar account. */
    accountId: await credit(account_id ?? "", ampleFunds, "funds"),
    /** Opens another US dollar account with this much in it; answers its id. */
    openAccount: async (amount: string) => {
      const key = `open:${crypto.randomUUID()}`;
      const opening = { mutation: { operationId: key }, merchantId };
      const { account } = await seeders.payout.openAccount({ ...opening, currencyCode: "USD" });
      return credit(account?.id ?? "", amount, `${key}:funds`);
    },
  };
}
