import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { startWebhookListener, type WebhookSecrets } from "./webhook-listener.ts";

/** A step's title and what came, digit for digit, for the reader of a terminal. */
function show(title: string, text: string): void {
  process.stdout.write(`\n■ ${title}\n  ${text}\n`);
}

type Call = <T>(step: string, method: "GET" | "POST", path: string, body?: object) => Promise<T>;

/** What a step shows of an answer; secrets are shown once, and not by a demo. */
function shown(text: string): string {
  return text.replaceAll(/"(secret|standard_secret)":"[^"]*"/g, '"$1":"…"');
}

/** Calls the gateway as a merchant does; an error answer ends the job with its code and message. */
function merchantCalls(baseUrl: string, apiKey: string): Call {
  return async <T>(
    step: string,
    method: "GET" | "POST",
    path: string,
    body?: object,
  ): Promise<T> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    show(step, shown(text));
    return (JSON.parse(text) as { data: T }).data;
  };
}

const person = {
  beneficiary_account_type: "Individual",
  beneficiary_address: "12 St James's Square",
  beneficiary_city: "London",
  beneficiary_state: "London",
  beneficiary_postcode: "SW1Y 4JH",
  beneficiary_country_code: "GB",
};

const cryptoBeneficiary = {
  ...person,
  beneficiary_name: "Ada Lovelace",
  routing_code_type_1: "NETWORK",
  routing_code_value_1: "ETHEREUM",
  beneficiary_account_number: "0x52908400098527886E0F7030069857D2E4169EE7",
  beneficiary_wallet_custody_provider: "OTHERS",
  beneficiary_wallet_custody_provider_name: "Paper wallet",
  beneficiary_document_type: "PASSPORT",
  beneficiary_document_id: "123456789",
  beneficiary_date_of_birth: "1985-12-10",
  destination_currency: "USDC_ETH",
};

const fiatBeneficiary = {
  ...person,
  beneficiary_first_name: "Grace",
  beneficiary_last_name: "Hopper",
  destination_currency: "USD",
  transfer_type: "ACH",
  destination_country: "US",
  routing_code_type_1: "ACH CODE",
  routing_code_value_1: "021000021",
  beneficiary_account_number: "123456789012",
};

const depositor = {
  depositor_relation: "business",
  depositor_wallet_address: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  depositor_business_id: "business-1",
};

/** How long a webhook may take on a busy machine. */
const webhookTimeoutMs = 30_000;

/** Registers, quotes, executes, reads, lists, and waits for two genuine webhooks. */
export async function runMainJob(sandbox: SandboxDocument): Promise<void> {
  const call = merchantCalls(sandbox.base_url, sandbox.merchants.acme.api_key);
  const account = sandbox.accounts.find(
    ({ merchant, currency, available }) =>
      merchant === "acme" && currency === "USD" && !available.startsWith("0."),
  );
  if (account === undefined) throw new Error("acme has no account with money in it");
  const listener = await startWebhookListener();
  try {
    const endpoint = await call<WebhookSecrets>(
      "Registered a webhook endpoint",
      "POST",
      "/api/v1/webhooks/endpoints",
      { url: listener.url, description: "demo" },
    );
    const { beneficiary_id: wallet } = await call<{ beneficiary_id: string }>(
      "Registered a crypto beneficiary",
      "POST",
      "/api/v1/transfer/crypto/beneficiary",
      cryptoBeneficiary,
    );
    const fiatPath = "/api/v1/transfer/fiat/beneficiary";
    await call("Registered a fiat beneficiary", "POST", fiatPath, fiatBeneficiary);
    await call("Whitelisted a depositor", "POST", "/api/v1/depositor", depositor);
    const quote = await call<{ id: string }>("Got a quote", "POST", "/api/v1/transfer/rfq", {
      source_amount: "250.00",
      beneficiary_id: wallet,
      source_currency_code: "USD",
      destination_currency_code: "USDC_ETH",
      account_id: account.account_id,
    });
    const payout = await call<{ id: string }>(
      "Executed the payout",
      "POST",
      "/api/v1/transfer/execute",
      { quote_id: quote.id, reference_id: "demo-order-1" },
    );
    for (const status of ["initiated", "succeeded"]) {
      const webhook = await listener.next(payout.id, status, webhookTimeoutMs);
      listener.verify(webhook, endpoint);
      show(`Received a webhook and verified both signatures: ${status}`, webhook.body);
    }
    await call("Read the payout", "GET", `/api/v1/transfer/payouts/${payout.id}`);
    await call("Listed payouts", "GET", "/api/v1/transfer/payouts?limit=1");
  } finally {
    await listener.stop();
  }
}
