import type { ServiceName } from "@disburse/sandbox/environments.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { type SeparatePlatform, startSeparatePlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

let platform: SeparatePlatform;
let receiver: Receiver;
let acme: Merchant;
let accountId = "";
let beneficiaryId = "";
const payoutIds = new Set<string>();

beforeAll(async () => {
  platform = await startSeparatePlatform({ SANDBOX_SETTLE_MS: "200", RATE_LIMIT_BURST: "10000" });
  receiver = await startReceiver();
  acme = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  accountId = platform.accountId("acme", "USD");
  await acme.data("POST", "/api/v1/webhooks/endpoints", { url: receiver.url });
  const { beneficiary_id } = await acme.data("POST", "/api/v1/transfer/fiat/beneficiary", {
    beneficiary_first_name: "Grace",
    beneficiary_last_name: "Hopper",
    beneficiary_account_type: "Individual",
    destination_currency: "USD",
    transfer_type: "ACH",
    destination_country: "US",
    routing_code_type_1: "ACH CODE",
    routing_code_value_1: "021000021",
    beneficiary_state: "NY",
    beneficiary_address: "1 Main Street",
    beneficiary_city: "New York",
    beneficiary_postcode: "10001",
    beneficiary_account_number: "123456789012",
  });
  beneficiaryId = beneficiary_id;
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
});

/** Posts as a careful client does: the same key again until there is an answer that is final. */
async function postUntilAnswered(path: string, body: object) {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const answer = await acme.post(path, body, headers).catch(() => undefined);
    const isFinal = answer !== undefined && answer.status !== 503 && answer.status !== 409;
    if (isFinal || Date.now() > giveUpAt) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function pay(reference: string): Promise<void> {
  const quote = await postUntilAnswered("/api/v1/transfer/rfq", {
    source_amount: "10.00",
    beneficiary_id: beneficiaryId,
    source_currency_code: "USD",
    destination_currency_code: "USD",
    account_id: accountId,
  });
  expect(quote?.text).toContain('"source_amount":10.00');
  const executed = await postUntilAnswered("/api/v1/transfer/execute", {
    quote_id: quote?.json.data.id,
    reference_id: reference,
  });
  expect(executed?.status, executed?.text).toBe(200);
  payoutIds.add(executed?.json.data.id);
}

const killed: ServiceName[] = [
  "payout",
  "quote",
  "gateway",
  "notifier",
  "beneficiary",
  "compliance",
];

it.each(killed)("goes on after kill -9 of %s in the middle of payouts", async (service) => {
  const before = payoutIds.size;
  const paying = Array.from({ length: 12 }, async (_each, at) => {
    await new Promise((resolve) => setTimeout(resolve, at * 30));
    await pay(`${service}-${at}`);
  });
  await vi.waitFor(() => expect(payoutIds.size).toBeGreaterThan(before), { timeout: 20_000 });
  await platform.kill(service);
  await platform.start(service);
  await Promise.all(paying);
  expect(payoutIds.size).toBe(before + 12);
});

it("lost nothing, paid nothing twice, told the merchant of everything", async () => {
  const { available } = await vi.waitFor(
    async () => {
      const account = await acme.data("GET", `/api/v1/transfer/accounts/${accountId}`);
      expect(account.held).toBe(0);
      return account;
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(available).toBe(1_000_000 - 10 * payoutIds.size);
  for (const id of payoutIds) {
    const payout = await acme.data("GET", `/api/v1/transfer/payouts/${id}`);
    expect(payout).toMatchObject({ status: "succeeded", sub_status: "settled" });
  }
  await vi.waitFor(
    async () => {
      const { meta_data } = await acme.data("GET", "/api/v1/transfer/payouts?limit=1");
      expect(meta_data.total_count).toBe(payoutIds.size);
    },
    { timeout: 10_000, interval: 100 },
  );
  const told = () =>
    new Set(
      receiver.calls.map(({ body }) => {
        const { transaction_id, data } = JSON.parse(body.toString());
        return `${transaction_id} ${data.status}`;
      }),
    );
  const owed = [...payoutIds].flatMap((id) => [`${id} initiated`, `${id} succeeded`]);
  await vi.waitFor(() => expect(owed.filter((each) => !told().has(each))).toEqual([]), {
    timeout: 60_000,
    interval: 200,
  });
});
