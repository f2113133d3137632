import type { BodyValues } from "@disburse/forms/fields/field.ts";
import type { Network } from "@disburse/forms/values/networks.ts";
import type { MerchantName } from "@disburse/sandbox/sandbox-data.ts";
import type {
  CreateCryptoBeneficiaryRequest,
  CreateFiatBeneficiaryRequest,
  Quote,
} from "@disburse/sdk/gen/types.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import type { TestPlatform } from "@disburse/testkit/platform.ts";
import { bankBody, cryptoBody, paths } from "./bodies.ts";
import { sdkClient } from "./sdk-client.ts";

const networkOf: Readonly<Record<string, Network>> = {
  BTC: "BTC",
  MATIC_POLYGON: "POL",
  SOL: "SOLANA",
  USDC_SOL: "SOLANA",
  USDT_TRON: "TRX",
};

type Amounts = { readonly source_amount?: string; readonly receiving_amount?: string };

/** Returns the path and body that register a recipient for a currency. */
export function recipientBody(currency: string): readonly [path: string, body: BodyValues] {
  if (currency === "EUR") return [paths.fiat, bankBody("EUR")];
  if (currency === "INR") return [paths.fiat, bankBody("INR", "Corporate")];
  if (currency === "USD") return [paths.fiat, bankBody("ACH")];
  if (currency === "USDC") return [paths.fiat, bankBody("USDC")];
  return [paths.crypto, cryptoBody(networkOf[currency] ?? "ETHEREUM", currency)];
}

/**
 * Creates a paying merchant of the sandbox with one recipient for each currency. Tests prepare
 * their state with the SDK. Its retries are off, so that tests that break the platform see the
 * failure.
 */
export function payerOf(
  platform: Pick<TestPlatform, "baseUrl" | "apiKey" | "accountId">,
  name: MerchantName,
) {
  const merchant = merchantOf(platform.baseUrl, platform.apiKey(name));
  const options = { baseUrl: platform.baseUrl, apiKey: platform.apiKey(name), retriesMax: 0 };
  const { client, problems } = sdkClient(options);
  const recipients = new Map<string, Promise<string>>();

  /** Returns the response. Fails the test if it doesn't match the reference. */
  const described = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call;
    if (problems.length > 0) throw new Error(problems.join("; "));
    return answer;
  };
  const makeRecipient = async (currency: string): Promise<string> => {
    const [path, body] = recipientBody(currency);
    const { beneficiaries } = client;
    const created =
      path === paths.crypto
        ? beneficiaries.createCrypto(body as unknown as CreateCryptoBeneficiaryRequest)
        : beneficiaries.createFiat(body as unknown as CreateFiatBeneficiaryRequest);
    return (await described(created)).beneficiary_id;
  };

  const recipient = (currency: string): Promise<string> => {
    const known = recipients.get(currency) ?? makeRecipient(currency);
    recipients.set(currency, known);
    return known;
  };
  const transfer = async (source: string, destination: string) => ({
    beneficiary_id: await recipient(destination),
    source_currency_code: source,
    destination_currency_code: destination,
    account_id: platform.accountId(name, source),
  });
  const quote = async (source: string, destination: string, amounts: Amounts): Promise<Quote> =>
    described(client.quotes.request({ ...amounts, ...(await transfer(source, destination)) }));
  return {
    ...(merchant as Merchant),
    /** Removes the merchant's payout controls, which would affect the files that run later. */
    resetControls: async (): Promise<void> => {
      const { status } = await merchant.post("/api/v1/sandbox/payout-controls", {});
      if (status !== 200) throw new Error(`payout controls were not reset: ${status}`);
    },
    recipient,
    transfer,
    quote,
    /** Executes a quote of 10.00 USD to USD and returns the payout's id. */
    pay: async (reference_id: string): Promise<string> => {
      const { id: quote_id } = await quote("USD", "USD", { source_amount: "10.00" });
      return (await described(client.payouts.execute({ quote_id, reference_id }))).id;
    },
  };
}

export type Payer = ReturnType<typeof payerOf>;
