import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bankBody, paths } from "./bodies.ts";

/** Runs the drill of a lost notifier database on a small scale. Each service calls as itself. */

let platform: TestPlatform;
let acme: Merchant;
let receiver: Receiver;

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100", GAP_SWEEP_SECONDS: "1" });
  acme = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await platform?.stop();
});

async function pay(): Promise<string> {
  const { beneficiary_id } = await acme.data("POST", paths.fiat, bankBody());
  const quote = await acme.data("POST", "/api/v1/transfer/rfq", {
    source_amount: "12.30",
    beneficiary_id,
    source_currency_code: "USD",
    destination_currency_code: "USD",
    account_id: platform.accountId("acme", "USD"),
  });
  const body = { quote_id: quote.id, reference_id: "order-lost" };
  return (await acme.data("POST", "/api/v1/transfer/execute", body)).id;
}

it("events that the notifier's database lost come back from payout, and are delivered", async () => {
  await acme.data("POST", "/api/v1/webhooks/endpoints", { url: receiver.url, description: "test" });
  const payoutId = await pay();
  const ofPayout = ({ body }: { body: Buffer }) =>
    JSON.parse(body.toString()).transaction_id === payoutId;
  const first = await receiver.waitFor(2, { filter: ofPayout });

  const payouts = await platform.openDatabase("payout");
  const notifier = await platform.openDatabase("notifier");
  try {
    const lost = { transaction_id: payoutId };
    const payout = payouts.db.collection<{ _id: string }>("payouts");
    const pending = { ...lost, state: "pending" };
    const isAtRest = async () => {
      expect(await payout.countDocuments({ _id: payoutId, outbox: { $size: 0 } })).toBe(1);
      expect(await notifier.db.collection("deliveries").countDocuments(pending)).toBe(0);
    };
    await vi.waitFor(isAtRest, { timeout: 10_000 });
    await notifier.db.collection("events").deleteMany(lost);
    await notifier.db.collection("deliveries").deleteMany(lost);
    // Events of the last minute may still be in transit, so they are not a gap yet.
    const published_at = new Date(Date.now() - 120_000);
    await payout.updateOne({ _id: payoutId }, { $set: { published_at } });

    const all = await receiver.waitFor(4, { filter: ofPayout });
    const again = all.slice(2);
    const signed = (calls: typeof all) =>
      calls.map(({ headers, body }) => `${headers["webhook-id"]} ${body.toString()}`).toSorted();
    expect(signed(again)).toEqual(signed(first));
    const open = () => notifier.db.collection("gaps").countDocuments();
    await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 10_000 });
  } finally {
    await payouts.close();
    await notifier.close();
  }
});
