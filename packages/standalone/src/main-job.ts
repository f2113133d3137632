import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { Disburse } from "@disburse/sdk/disburse.ts";
import { isDisburseError } from "@disburse/sdk/disburse-error.ts";
import { verifyWebhook } from "@disburse/sdk/verify-webhook.ts";

function show(title: string, text: string): void {
  process.stdout.write(`\n■ ${title}\n  ${text}\n`);
}

/** Formats a response without its secrets. */
function printable(answer: unknown): string {
  const isSecret = (name: string) => name === "secret" || name === "standard_secret";
  return JSON.stringify(answer, (name, value) => (isSecret(name) ? "…" : value));
}

/**
 * Waits for a call and prints its response. If the call is refused, the job ends with an error that
 * names the step.
 */
async function step<T>(title: string, call: Promise<T>): Promise<T> {
  try {
    const answer = await call;
    show(title, printable(answer));
    return answer;
  } catch (error) {
    const why = isDisburseError(error) ? `${error.code}: ${error.message}` : String(error);
    throw new Error(`"${title}" failed: ${why}`, { cause: error });
  }
}

const person = {
  beneficiary_account_type: "Individual",
  beneficiary_address: "12 St James's Square",
  beneficiary_city: "London",
  beneficiary_state: "London",
  beneficiary_postcode: "SW1Y 4JH",
  beneficiary_country_code: "GB",
} as const;

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
} as const;

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
} as const;

const depositor = {
  depositor_relation: "business",
  depositor_wallet_address: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  depositor_business_id: "business-1",
} as const;

const webhookTimeoutMs = 30_000;

/**
 * Registers a beneficiary, creates a quote, executes a payout, and reads and lists it. Then waits
 * for two webhooks with valid signatures.
 */
export async function runMainJob(sandbox: SandboxDocument): Promise<void> {
  const apiKey = sandbox.merchants.acme.api_key;
  const disburse = new Disburse({ apiKey, baseUrl: sandbox.base_url });
  const account = sandbox.accounts.find(
    ({ merchant, currency, available }) =>
      merchant === "acme" && currency === "USD" && !available.startsWith("0."),
  );
  if (account === undefined)
    throw new Error("the merchant acme has no USD account with available money");
  const listener = await startWebhookListener();
  const registration = disburse.webhookEndpoints.create({ url: listener.url, description: "demo" });
  try {
    const endpoint = await step("Registered a webhook endpoint", registration);
    const { beneficiary_id } = await step(
      "Registered a crypto beneficiary",
      disburse.beneficiaries.createCrypto(cryptoBeneficiary),
    );
    const bank = disburse.beneficiaries.createFiat(fiatBeneficiary);
    await step("Registered a fiat beneficiary", bank);
    await step("Whitelisted a depositor", disburse.depositors.create(depositor));
    const quote = await step(
      "Got a quote",
      disburse.quotes.request({
        source_amount: "250.00",
        beneficiary_id,
        source_currency_code: "USD",
        destination_currency_code: "USDC_ETH",
        account_id: account.account_id,
      }),
    );
    const payout = await step(
      "Executed the payout",
      disburse.payouts.execute({ quote_id: quote.id, reference_id: "demo-order-1" }),
    );
    for (const status of ["initiated", "succeeded"]) {
      const webhook = await listener.next(payout.id, status, webhookTimeoutMs);
      const { secret, standard_secret: standardSecret } = endpoint;
      const event = verifyWebhook(webhook.body, webhook.headers, { secret, standardSecret });
      show(`Received a webhook and verified both signatures: ${status}`, printable(event));
    }
    await step("Read the payout", disburse.payouts.get(payout.id));
    const { records } = await disburse.payouts.list({ limit: 1 });
    show("Listed payouts", printable(records));
  } finally {
    // The endpoint is deleted at the end. Otherwise webhooks of later payouts would be retried
    // there for 24 hours.
    const { id } = await registration;
    await disburse.webhookEndpoints.delete(id);
    await listener.stop();
  }
}

type ReceivedWebhook = { readonly headers: IncomingHttpHeaders; readonly body: string };

type Payload = { transaction_id: string; data: { id: string; status: string } };

/** Starts a minimal webhook endpoint that answers 200 and keeps each request. */
async function startWebhookListener() {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(200).end();
      server.emit("webhook");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const find = (id: string, status: string) =>
    received.find(({ body }) => {
      const payload = JSON.parse(body) as Payload;
      return payload.transaction_id === id && payload.data.status === status;
    });

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    next: async (id: string, status: string, timeoutMs: number): Promise<ReceivedWebhook> => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const found = find(id, status);
        if (found !== undefined) return found;
        await once(server, "webhook", { signal }).catch(() => {
          throw new Error(`no webhook reported the status ${status} in time`);
        });
      }
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
