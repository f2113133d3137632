import { newId } from "@disburse/kernel/id.ts";
import { ampleFunds, type Platform } from "@disburse/platform/platform.ts";
import { beneficiaryExchange, type Target } from "../load/scenarios.ts";
import { newSeen, senderOf } from "../load/sender.ts";

/** Merchants that are made at a time. */
const atOnce = 16;
/** Lifecycles need the settlement alone. */
const eventTypes = ["payout_session.succeeded"];

/**
 * Makes merchants over the services' RPCs, as an operator does: each with a key, an account with
 * money in it, the corridor, a beneficiary, and an endpoint that receives its settlements.
 */
export async function createMerchants(
  platform: Platform,
  count: number,
  webhookUrl: string,
): Promise<[Target, ...Target[]]> {
  const corridorId = await corridorOf(platform);
  const made: Target[] = [];
  while (made.length < count) {
    const group = Array.from({ length: Math.min(atOnce, count - made.length) }, () =>
      createMerchant(platform, corridorId, webhookUrl),
    );
    made.push(...(await Promise.all(group)));
  }
  return made as [Target, ...Target[]];
}

/** The corridor that quotes are asked for: the sandbox has one of it. */
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
  { clients, seeders, baseUrl }: Platform,
  corridorId: string,
  webhookUrl: string,
): Promise<Target> {
  const merchantId = newId("merchant");
  const mutation = (step: string) => ({ operationId: `${step}:${merchantId}` });
  const description = "a merchant of the bench";
  const { keys, beneficiary, quote, payout, notifier } = clients;
  const settings = { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: false };
  const registering = { mutation: mutation("merchant"), merchantId, name: description };
  await beneficiary.createMerchant(registering);
  const [{ secret: apiKey }, { account }] = await Promise.all([
    keys.createKey({ mutation: mutation("key"), merchantId, description }),
    payout.openAccount({ mutation: mutation("account"), merchantId, currencyCode: "USD" }),
    beneficiary.setMerchantSettings({ mutation: mutation("settings"), settings }),
    quote.setMerchantCorridor({
      mutation: mutation("corridor"),
      merchantId,
      corridorId,
      open: true,
    }),
    notifier.createEndpoint({
      mutation: mutation("hook"),
      merchantId,
      url: webhookUrl,
      eventTypes,
    }),
  ]);
  const accountId = account?.id ?? "";
  const crediting = { mutation: mutation("funds"), merchantId, accountId };
  const [beneficiaryId] = await Promise.all([
    senderOf({ baseUrl, apiKey }, newSeen())(beneficiaryExchange()),
    seeders.payout.creditAccount({ ...crediting, amount: ampleFunds, note: description }),
  ]);
  return { baseUrl, apiKey, accountId, beneficiaryId };
}
