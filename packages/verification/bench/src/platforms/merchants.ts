import { newId } from "@disburse/kernel/id.ts";
import { ampleFunds, type Platform } from "@disburse/platform/platform.ts";
import { createBeneficiary, type Target } from "../load/scenarios.ts";
import { newSeen, senderOf } from "../load/sender.ts";

/** Concurrent creations of merchants. */
const atOnce = 16;
const eventTypes = ["payout_session.succeeded"];

/**
 * Creates merchants over the services' RPCs, as an operator does. Each has a key, a funded account,
 * the corridor and a beneficiary. With a webhook URL, it also has an endpoint for settlements.
 */
export async function createMerchants(
  platform: Platform,
  count: number,
  webhookUrl?: string,
): Promise<[Target, ...Target[]]> {
  const corridorId = await corridorOf(platform);
  const targets: Target[] = [];
  while (targets.length < count) {
    const group = Array.from({ length: Math.min(atOnce, count - targets.length) }, () =>
      createMerchant(platform, corridorId, webhookUrl),
    );
    targets.push(...(await Promise.all(group)));
  }
  return targets as [Target, ...Target[]];
}

/** The sandbox has one corridor for the bench's quotes. */
async function corridorOf({ clients, sandbox }: Platform): Promise<string> {
  const merchantId = sandbox.merchants.acme.merchant_id;
  const { corridors } = await clients.quote.listCorridors({ merchantId, limit: 100 });
  const found = corridors.find((each) => {
    return each.sourceCurrencyCode === "USD" && each.destinationCurrencyCode === "USDC_ETH";
  });
  if (found === undefined) throw new Error("the sandbox has no corridor from USD to USDC_ETH");
  return found.id;
}

async function createMerchant(
  platform: Platform,
  corridorId: string,
  webhookUrl: string | undefined,
): Promise<Target> {
  const { clients } = platform;
  const baseUrl = `${platform.baseUrl}/api/v1`;
  const merchantId = newId("merchant");
  const mutation = (step: string) => ({ operationId: `${step}:${merchantId}` });
  const description = "a merchant of the bench";
  const { keys, beneficiary, quote, notifier } = clients;
  const permissions = { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: false };
  const registering = { mutation: mutation("merchant"), merchantId, name: description };
  await beneficiary.createMerchant(registering);
  const opening = { mutation: mutation("corridor"), merchantId, corridorId, open: true };
  const endpoint = { mutation: mutation("hook"), merchantId, url: webhookUrl ?? "", eventTypes };
  const [{ secret: apiKey }, accountId, created] = await Promise.all([
    keys.createKey({ mutation: mutation("key"), merchantId, description }),
    openFundedAccount(platform, merchantId),
    webhookUrl === undefined ? undefined : notifier.createEndpoint(endpoint),
    beneficiary.setMerchantPermissions({ mutation: mutation("permissions"), permissions }),
    quote.setMerchantCorridor(opening),
  ]);
  const beneficiaryId = await createBeneficiary(senderOf(baseUrl, apiKey, newSeen()));
  const endpointId = created?.endpoint?.id;
  return { baseUrl, apiKey, merchantId, accountId, beneficiaryId, endpointId };
}

/** Opens an account with funds for any number of small payouts. Returns the account's id. */
export async function openFundedAccount(
  { seeders }: Platform,
  merchantId: string,
): Promise<string> {
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const opening = { mutation: mutation(), merchantId, currencyCode: "USD" };
  const { account } = await seeders.payout.openAccount(opening);
  const accountId = account?.id ?? "";
  const crediting = { mutation: mutation(), merchantId, accountId, note: "bench" };
  await seeders.payout.creditAccount({ ...crediting, amount: ampleFunds });
  return accountId;
}
