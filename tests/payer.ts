import type { BodyValues } from "@disburse/forms/field.ts";
import type { Network } from "@disburse/forms/networks.ts";
import type { MerchantName } from "@disburse/sandbox/sandbox-data.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import type { SeparatePlatform } from "@disburse/testkit/platform.ts";
import { bankBody, cryptoBody, paths } from "./bodies.ts";

const networkOf: Readonly<Record<string, Network>> = {
  BTC: "BTC",
  MATIC_POLYGON: "POL",
  SOL: "SOLANA",
  USDC_SOL: "SOLANA",
  USDT_TRON: "TRX",
};

/** How a recipient of a currency is registered: the path and the body. */
export function recipientBody(currency: string): readonly [path: string, body: BodyValues] {
  if (currency === "INR") return [paths.fiat, bankBody("INR", "Corporate")];
  if (currency === "USD") return [paths.fiat, bankBody("ACH")];
  if (currency === "USDC") return [paths.fiat, bankBody("USDC")];
  return [paths.crypto, cryptoBody(networkOf[currency] ?? "ETHEREUM", currency)];
}

/** A merchant of the sandbox that pays; it has one recipient for each currency. */
export function payerOf(platform: SeparatePlatform, name: MerchantName) {
  const merchant = merchantOf(platform.baseUrl, platform.apiKey(name));
  const recipients = new Map<string, Promise<string>>();

  const makeRecipient = async (currency: string): Promise<string> =>
    (await merchant.data("POST", ...recipientBody(currency))).beneficiary_id;

  const recipient = (currency: string): Promise<string> => {
    const known = recipients.get(currency) ?? makeRecipient(currency);
    recipients.set(currency, known);
    return known;
  };
  /** A body of the RFQ operation without its amount. */
  const transfer = async (source: string, destination: string) => ({
    beneficiary_id: await recipient(destination),
    source_currency_code: source,
    destination_currency_code: destination,
    account_id: platform.accountId(name, source),
  });
  const quote = async (source: string, destination: string, amounts: object) => {
    const asked = { ...amounts, ...(await transfer(source, destination)) };
    return merchant.data("POST", paths.rfq, asked);
  };
  return {
    ...(merchant as Merchant),
    recipient,
    transfer,
    /** A quote, as data. */
    quote,
    /** A quote of 10.00 USD in USD, executed; the payout's id. */
    pay: async (reference_id: string): Promise<string> => {
      const { id: quote_id } = await quote("USD", "USD", { source_amount: "10.00" });
      return (await merchant.data("POST", paths.execute, { quote_id, reference_id })).id;
    },
  };
}

export type Payer = ReturnType<typeof payerOf>;
