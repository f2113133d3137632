import { setTimeout } from "node:timers/promises";

/** The two payouts of every TypeScript client, on the operations that it wraps. */

const { DISBURSE_CLIENT = "", DISBURSE_ACCOUNT_ID = "" } = process.env;
export const { DISBURSE_BASE_URL: baseUrl = "", DISBURSE_API_KEY: apiKey = "" } = process.env;

export const bankAccount = {
  beneficiary_account_type: "Individual",
  beneficiary_first_name: "Asha",
  beneficiary_last_name: "Rao",
  destination_currency: "INR",
  transfer_type: "LOCAL",
  destination_country: "IN",
  currency_type: "Fiat",
  routing_code_type_1: "IFSC",
  routing_code_value_1: "HDFC0000001",
  beneficiary_account_number: "50100123456789",
  beneficiary_alias: "asha",
  beneficiary_contact_country_code: "91",
  beneficiary_contact_number: "9820012345",
  beneficiary_address: "1 Marine Drive",
  beneficiary_city: "Mumbai",
  beneficiary_state: "Maharashtra",
  beneficiary_postcode: "400020",
  beneficiary_country_code: "IN",
  beneficiary_bank_name: "First Bank",
  beneficiary_bank_account_type: "Personal Savings",
  beneficiary_bank_address: "2 Fort Road",
  beneficiary_bank_city: "Mumbai",
  beneficiary_bank_state: "Maharashtra",
  beneficiary_bank_postcode: "400001",
  beneficiary_bank_country_code: "IN",
} as const;

export const wallet = {
  beneficiary_account_type: "Individual",
  beneficiary_name: "Jane Doe",
  beneficiary_date_of_birth: "1985-04-12",
  beneficiary_document_type: "PASSPORT",
  beneficiary_document_id: "X1234567",
  beneficiary_address: "1 Main Street",
  beneficiary_city: "New York",
  beneficiary_state: "NY",
  beneficiary_postcode: "10001",
  beneficiary_country_code: "US",
  destination_currency: "USDC_ETH",
  routing_code_type_1: "NETWORK",
  routing_code_value_1: "ETHEREUM",
  beneficiary_account_number: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  beneficiary_wallet_custody_provider: "OTHERS",
  beneficiary_wallet_custody_provider_name: "Paper",
} as const;

type Amount = { readonly source_amount: string } | { readonly receiving_amount: string };

/** A body of Request quote. */
export type Terms = Amount & {
  readonly beneficiary_id: string;
  readonly account_id: string;
  readonly source_currency_code: string;
  readonly destination_currency_code: string;
};

/** A new key for each operation, and amounts as strings. */
export const newHeaders = () => ({ ...stringAmounts, "Idempotency-Key": crypto.randomUUID() });
export const stringAmounts = { "Disburse-Amounts": "string" } as const;

/** The operations of a payout, each with the part of its response that the flow reads. */
export type Client = {
  createBankAccount(): Promise<{ readonly beneficiary_id: string }>;
  createWallet(): Promise<{ readonly beneficiary_id: string }>;
  requestQuote(terms: Terms): Promise<{ readonly id: string; readonly receiving_amount: string }>;
  execute(order: { quote_id: string; reference_id: string }): Promise<{ readonly id: string }>;
  get(id: string): Promise<{ readonly status: string; readonly receiving_amount: string }>;
  list(reference: string): Promise<readonly { readonly id: string }[]>;
};

async function pay(client: Client, kind: string, terms: Terms): Promise<void> {
  const reference = `${DISBURSE_CLIENT}-${kind}`;
  const quote = await client.requestQuote(terms);
  const { id } = await client.execute({ quote_id: quote.id, reference_id: reference });
  let payout = await client.get(id);
  while (payout.status === "initiated") {
    await setTimeout(200);
    payout = await client.get(id);
  }
  equal(payout.status, "succeeded");
  equal(payout.receiving_amount, quote.receiving_amount);
  if ("receiving_amount" in terms) equal(payout.receiving_amount, terms.receiving_amount);
  equal((await client.list(reference)).map((each) => each.id).join(), id);
}

export async function payBoth(client: Client): Promise<void> {
  const from = { account_id: DISBURSE_ACCOUNT_ID, source_currency_code: "USD" };
  const account = await client.createBankAccount();
  const toBank = { beneficiary_id: account.beneficiary_id, destination_currency_code: "INR" };
  await pay(client, "fiat", { ...from, ...toBank, receiving_amount: "123456.78" });
  const { beneficiary_id } = await client.createWallet();
  const toWallet = { beneficiary_id, destination_currency_code: "USDC_ETH" };
  await pay(client, "crypto", { ...from, ...toWallet, source_amount: "250.25" });
}

function equal(actual: string, expected: string): void {
  if (actual !== expected) throw new Error(`expected ${expected}, got ${actual}`);
}

export const refused = (error: unknown) => new Error("the request failed", { cause: error });
