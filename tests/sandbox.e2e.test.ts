import { enumNames } from "@disburse/chassis/enum-names.ts";
import {
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Disburse } from "@disburse/sdk/disburse.ts";
import type {
  CreateDepositorRequest,
  CreateFiatBeneficiaryRequest,
} from "@disburse/sdk/gen/types.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { bankBody, depositorBody } from "./bodies.ts";

/** Reaches every state of the contract through a merchant's actions in a sandbox. */

let platform: TestPlatform;
let client: Disburse;
let beneficiary_id = "";
let receiver: Receiver;

beforeAll(async () => {
  // No payout advances by itself: its rail takes ten minutes.
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "600000", RATE_LIMIT_BURST: "5000" });
  client = new Disburse({ apiKey: platform.apiKey("acme"), baseUrl: platform.baseUrl });
  ({ beneficiary_id } = await client.beneficiaries.createFiat(bank({})));
  receiver = await startReceiver(500);
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
});
afterEach(() => client.sandbox.endRailSilence());

const bank = (change: object) =>
  ({ ...bankBody(), ...change }) as unknown as CreateFiatBeneficiaryRequest;

const order = (source_amount = "10.00", isFunded = true) => ({
  ...{ source_amount, beneficiary_id, account_id: platform.accountId("acme", "USD", isFunded) },
  ...{ source_currency_code: "USD", destination_currency_code: "USD" },
});

async function pay(source_amount?: string): Promise<string> {
  const quote_id = await quoted(source_amount);
  return (await client.payouts.execute({ quote_id, reference_id: "order" })).id;
}

type SubStatus = (typeof subStatuses)[number];
const subStatuses = enumNames(PayoutSubStatus);

async function silenced(kind: "down" | "unfunded"): Promise<string> {
  await client.sandbox.setRailSilence({ kind, seconds: 60 });
  return pay();
}

async function payForApproval(): Promise<string> {
  await client.sandbox.setPayoutControls({ approval_amounts: { USD: "5000.00" } });
  return pay("5000.00");
}

async function payWithoutMoney(): Promise<string> {
  const { id: quote_id } = await client.quotes.request(order("10.00", false));
  const waiting = await client.payouts.execute({ quote_id, queue_if_low_balance: true });
  expect(waiting).toMatchObject({ message: "Awaiting Balance", sub_status: "awaiting_balance" });
  return waiting.id;
}

const payouts: Readonly<Record<SubStatus, () => Promise<string>>> = {
  awaiting_approval: payForApproval,
  awaiting_balance: payWithoutMoney,
  scheduled: async () => "",
  queued: () => silenced("down"),
  awaiting_funds: () => silenced("unfunded"),
  processing: () => pay(),
  unknown: async () => (await client.sandbox.leavePayoutInDoubt(await pay())).id,
  settled: async () => (await client.sandbox.settlePayout(await pay())).id,
  rejected: async () => (await client.sandbox.failPayout(await pay())).id,
  returned: async () => (await client.sandbox.returnPayout(await pay())).id,
  cancelled: async () => (await client.payouts.cancel(await silenced("down"))).id,
};

it.each(subStatuses)("a payout is %s", async (subStatus) => {
  if (subStatus === "scheduled") {
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    const scheduled = await client.scheduledPayouts.create({ ...order(), scheduled_at });
    expect(scheduled.sub_status).toBe("scheduled");
    return;
  }
  const id = await payouts[subStatus]();
  await vi.waitFor(async () => {
    expect((await client.payouts.get(id)).sub_status).toBe(subStatus);
  }, 10_000);
});

it("a payout that waited goes on when its silence ends, and comes back days later", async () => {
  const id = await silenced("unfunded");
  await vi.waitFor(async () => {
    expect((await client.payouts.get(id)).sub_status).toBe("awaiting_funds");
  }, 10_000);
  await client.sandbox.endRailSilence();
  expect(await client.sandbox.settlePayout(id)).toMatchObject({ sub_status: "settled" });
  expect(await client.sandbox.returnPayout(id)).toMatchObject({ sub_status: "returned" });
});

it("a payout that waited for balance goes on when its account is credited", async () => {
  const id = await payWithoutMoney();
  const waiting = await client.payouts.get(id);
  expect(waiting).toMatchObject({ status: "initiated", sub_status: "awaiting_balance" });
  expect(String(waiting.max_source_amount)).toBe(String(waiting.source_amount));
  await vi.waitFor(async () => {
    const { records } = await client.payouts.list({ sub_status: "awaiting_balance" });
    expect(records.map((each) => each.id)).toContain(id);
  }, 10_000);
  await client.sandbox.creditAccount(platform.accountId("acme", "USD", false), { amount: "20.00" });
  await vi.waitFor(async () => {
    expect((await client.payouts.get(id)).sub_status).toBe("processing");
  }, 10_000);
  expect(await client.sandbox.settlePayout(id)).toMatchObject({ id, sub_status: "settled" });
});

it.each(enumNames(ScreeningStatus))("a beneficiary is %s", async (status) => {
  const named = { beneficiary_first_name: "Sandbox", beneficiary_last_name: "Pending" };
  const { beneficiary_id: id } = await client.beneficiaries.createFiat(bank(named));
  expect((await client.beneficiaries.get(id)).screening_status).toBe("pending");
  if (status === "pending") return;
  const listed = await client.sandbox.setBeneficiaryListing(id, { result: status });
  expect(listed.screening_status).toBe(status);
});

it.each(enumNames(DepositorStatus))("a depositor is %s", async (status) => {
  const body = JSON.stringify(depositorBody("individual"));
  const named = body.replaceAll(/"firstname":"[^"]*"/g, '"firstname":"Sandbox"');
  const pending = named.replaceAll(/"lastname":"[^"]*"/g, '"lastname":"Pending"');
  const { id } = await client.depositors.create(JSON.parse(pending) as CreateDepositorRequest);
  expect((await client.depositors.get(id)).status).toBe("pending");
  if (status === "pending") return;
  const results = { whitelisted: "cleared", review: "review", rejected: "blocked" } as const;
  const listed = await client.sandbox.setDepositorListing(id, { result: results[status] });
  expect(listed.status).toBe(status);
});

const quoted = async (amount?: string) => (await client.quotes.request(order(amount))).id;
const codeOfExecute = (quote_id: string) =>
  client.payouts.execute({ quote_id, reference_id: "order" }).then(
    () => "OK",
    ({ code }) => code,
  );

it("a quote is open, expired or used", async () => {
  const id = await quoted();
  expect([await codeOfExecute(id), await codeOfExecute(id)]).toEqual(["OK", "ALREADY_PROCESSED"]);
  const expiring = await quoted();
  await client.sandbox.expireQuote(expiring);
  expect(await codeOfExecute(expiring)).toBe("QUOTE_EXPIRED");
});

it.each(enumNames(DeliveryState))("a webhook delivery is %s", async (state) => {
  const { url } = receiver;
  receiver.answer(500);
  const endpoint = await client.webhookEndpoints.create({ url, event_types: ["refund"] });
  const sent = await client.sandbox.sendWebhookEvent(endpoint.id, { transaction_type: "refund" });
  await vi.waitFor(async () => {
    const { attempts_count } = await client.webhookDeliveries.get(sent.id);
    expect(attempts_count).toBe(1);
  }, 10_000);
  if (state === "delivered") {
    receiver.answer(200);
    await client.sandbox.retryWebhookDelivery(sent.id);
  }
  if (state === "exhausted") await client.sandbox.lapseWebhookDelivery(sent.id);
  if (state === "cancelled") await client.webhookEndpoints.delete(endpoint.id);
  await vi.waitFor(async () => {
    expect((await client.webhookDeliveries.get(sent.id)).state).toBe(state);
  }, 10_000);
  if (state !== "cancelled") await client.webhookEndpoints.delete(endpoint.id);
});

it("a repeated payout is a possible duplicate, and controls that are left out are off", async () => {
  const twice = async (amount: string) => [
    await codeOfExecute(await quoted(amount)),
    await codeOfExecute(await quoted(amount)),
  ];
  await client.sandbox.setPayoutControls({ duplicate_window_seconds: 60 });
  expect(await twice("11.00")).toEqual(["OK", "POSSIBLE_DUPLICATE"]);
  const off = { approval_amounts: {}, approve_batches: false, duplicate_window_seconds: 0 };
  expect(await client.sandbox.setPayoutControls({})).toMatchObject(off);
  expect(await twice("12.00")).toEqual(["OK", "OK"]);
});

it.each([
  [{ approval_amounts: { USD: "0.00" } }, "approval_amounts"],
  [{ approval_amounts: { XXX: "1.00" } }, "approval_amounts"],
  [{ approval_lasts_seconds: 0 }, "approval_lasts_seconds"],
  [{ approval_window_seconds: 86_401 }, "approval_window_seconds"],
  [{ new_beneficiary_days: 366 }, "new_beneficiary_days"],
])("controls of %j are refused", async (body, field) => {
  const refused = client.sandbox.setPayoutControls(body);
  await expect(refused).rejects.toMatchObject({
    ...{ code: "INVALID_REQUEST", violations: [{ field }] },
  });
});

it("the outcomes of payouts follow from a seed", async () => {
  await client.sandbox.setScenario({ seed: 7, fail_percent: 100, max_delay_ms: 0 });
  const id = await pay();
  await vi.waitFor(async () => {
    expect((await client.payouts.get(id)).sub_status).toBe("rejected");
  }, 10_000);
  await client.sandbox.setScenario({ seed: 7 });
});
