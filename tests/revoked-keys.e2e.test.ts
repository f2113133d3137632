import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { startReceiver } from "@disburse/testkit/receiver.ts";
import { readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Attacks with orders that outlive their key or member. Each once succeeded. */

const described = readReference();
let platform: TestPlatform;
let acme: Payer;
let approver: Merchant;
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  approver = merchantOf(platform.baseUrl, platform.approverKey("acme"));
});

const keysPath = "/api/v1/keys";
const scopes = ["payout:read", "payout:write", "payout:approve", "key:write", "webhook:write"];
const withKey = () => ({ "idempotency-key": crypto.randomUUID() });
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

async function childOf(maker: Merchant) {
  const { id, secret } = await maker.data("POST", keysPath, { scopes });
  return { id: id as string, ...merchantOf(platform.baseUrl, secret) };
}

async function schedule(by: Merchant, ms: number) {
  const terms = await acme.transfer("USD", "USD");
  const body = { ...terms, source_amount: "10.00", scheduled_at: ahead(ms) };
  return (await by.data("POST", paths.scheduled, body)).id as string;
}

const read = (id: string) => acme.data("GET", `${paths.scheduled}/${id}`);
const revoke = (id: string, orders = "") =>
  acme.call("DELETE", `${keysPath}/${id}${orders && `?orders=${orders}`}`);
const until = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await read(id)).toMatchObject(expected), {
    ...{ timeout: 15_000, interval: 50 },
  });
const decide = (who: Merchant, id: string, as: "approve" | "reject", body: object = {}) =>
  who.post(`${paths.scheduled}/${id}/${as}`, body, withKey());
const sameActor = { status: 403, json: { code: "ACCESS_FORBIDDEN", reason: "same_actor" } };

describe("a revoked key", () => {
  it("has its scheduled payout paid by no clock: another actor approves or rejects it", async () => {
    const key = await childOf(acme);
    const [paid, rejected] = [await schedule(key, 2_000), await schedule(key, 2_000)];
    const answer = await revoke(key.id);
    expect(answer.status).toBe(200);
    // Longer than the order's delay and the worker's interval of a second.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const waiting = { status: "initiated", sub_status: "awaiting_approval", payout_id: "" };
    for (const id of [paid, rejected]) expect(await read(id)).toMatchObject(waiting);
    expect(answer.json.data.revocation).toMatchObject({
      orders: "hold",
      scheduled_payouts: { count: 2, ids: [paid, rejected].sort() },
      batches: { count: 0, ids: [] },
    });
    // The key's own root created the order, so it may not approve it.
    expect(await decide(acme, paid, "approve")).toMatchObject(sameActor);
    expect((await decide(approver, paid, "approve")).status).toBe(200);
    await until(paid, { status: "succeeded" });
    expect(
      (await decide(approver, rejected, "reject", { reason: "not ours" })).json.data,
    ).toMatchObject({ status: "failed", sub_status: "cancelled", payout_id: "" });
  });

  it("has its batch held, which another actor lets go on", async () => {
    const key = await childOf(acme);
    const line = { ...(await acme.transfer("USD", "USD")), source_amount: "11.00" };
    const { id } = await key.data("POST", paths.batches, { lines: [line] });
    const { revocation } = (await revoke(key.id)).json.data;
    expect(revocation.batches).toEqual({ count: 1, ids: [id] });
    const approve = (who: Merchant) => {
      const body = { max_total_amount: "20.00" };
      return who.post(`${paths.batches}/${id}/approve`, body, withKey());
    };
    expect(await approve(acme)).toMatchObject(sameActor);
    const { lines } = await acme.data("GET", `${paths.batches}/${id}/lines`);
    expect(lines).toMatchObject([{ state: "waiting", sub_status: "awaiting_approval" }]);
    expect((await approve(approver)).status).toBe(200);
    await vi.waitFor(
      async () => {
        const batch = await acme.data("GET", `${paths.batches}/${id}`);
        expect(batch).toMatchObject({ state: "finished", executed_count: 1 });
      },
      { timeout: 15_000, interval: 50 },
    );
  });

  it("has an event for each order and batch that is held, which reaches an endpoint", async () => {
    const chosen = await startReceiver();
    const event_types = ["scheduled_payout.approval_required", "batch.approval_required"];
    const endpoint = await acme.data("POST", paths.endpoints, { url: chosen.url, event_types });
    closing.push(async () => {
      await acme.call("DELETE", `${paths.endpoints}/${endpoint.id}`);
      await chosen.close();
    });
    const key = await childOf(acme);
    const order = await schedule(key, 60_000);
    const line = { ...(await acme.transfer("USD", "USD")), source_amount: "11.00" };
    const batch = (await key.data("POST", paths.batches, { lines: [line] })).id as string;
    await revoke(key.id);
    const events = () => chosen.calls.map(({ body }) => JSON.parse(body.toString()));
    const of = (id: string) => events().filter((each) => each.transaction_id === id);
    // Events of orders held by earlier tests may arrive too.
    const both = () => expect([of(order).length, of(batch).length]).toEqual([1, 1]);
    await vi.waitFor(both, { timeout: 20_000, interval: 100 });
    expect(events().flatMap((each) => described.webhookProblems(each))).toEqual([]);
    const { approval } = await read(order);
    const { expires_at } = approval;
    expect(of(order)).toMatchObject([
      {
        transaction_type: "scheduled_payout.approval_required",
        data: { id: order, status: "awaiting_approval", source_amount: 10, expires_at },
      },
    ]);
    const status = "awaiting_approval";
    expect(of(batch)).toMatchObject([
      { transaction_type: "batch.approval_required", data: { id: batch, status } },
    ]);
    expect((await decide(approver, order, "reject", { reason: "a test" })).status).toBe(200);
  });

  it("has its payout that waits for balance held and announced, until it is approved", async () => {
    const chosen = await startReceiver();
    const event_types = ["payout.approval_required"];
    const endpoint = await acme.data("POST", paths.endpoints, { url: chosen.url, event_types });
    closing.push(async () => {
      await acme.call("DELETE", `${paths.endpoints}/${endpoint.id}`);
      await chosen.close();
    });
    const key = await childOf(acme);
    const account_id = platform.accountId("acme", "USD", false);
    const terms = { ...(await acme.transfer("USD", "USD")), account_id, source_amount: "10.00" };
    const quote_id = (await acme.data("POST", paths.rfq, terms)).id as string;
    const body = { quote_id, queue_if_low_balance: true };
    const id = (await key.data("POST", paths.execute, body)).id as string;
    const { revocation } = (await revoke(key.id)).json.data;
    expect(revocation.waiting_payouts).toEqual({ count: 1, ids: [id] });
    const events = () => chosen.calls.map((call) => JSON.parse(call.body.toString()));
    const own = () => events().filter((each) => each.transaction_id === id);
    await vi.waitFor(() => expect(own()).toHaveLength(1), { timeout: 20_000, interval: 100 });
    expect(own().flatMap((each) => described.webhookProblems(each))).toEqual([]);
    expect(own()[0].data).toMatchObject({ id, status: "awaiting_approval", reasons: [] });
    const path = `${paths.payouts}/${id}`;
    const { approval } = await acme.data("GET", path);
    expect(approval).toMatchObject({ state: "waiting", reasons: [] });
    const { digest } = approval;
    const decided = await approver.post(`${path}/approve`, { digest }, withKey());
    expect(decided.json.data).toMatchObject({ sub_status: "awaiting_balance" });
    expect((await acme.post(`${path}/cancel`, {})).status).toBe(200);
  });

  it("leaves nothing behind where that is asked for: orders, keys and endpoints", async () => {
    const key = await childOf(acme);
    const child = await childOf(key);
    const orders = [await schedule(key, 60_000), await schedule(child, 60_000)];
    const body = { url: `${platform.baseUrl}/nowhere`, event_types: ["payout_session"] };
    const endpoint = await child.data("POST", paths.endpoints, body);
    const { revocation } = (await revoke(key.id, "cancel")).json.data;
    expect(revocation).toMatchObject({
      orders: "cancel",
      scheduled_payouts: { count: 2, ids: orders },
      keys: { count: 1, ids: [child.id] },
      endpoints: { count: 1, ids: [endpoint.id] },
    });
    for (const id of orders) expect(await read(id)).toMatchObject({ sub_status: "cancelled" });
    expect((await child.get(paths.payouts)).status).toBe(401);
    const path = `${paths.endpoints}/${endpoint.id}`;
    expect(await acme.data("GET", path)).toMatchObject({ state: "paused" });
    await acme.call("DELETE", path);
  });
});
