import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { ExceptionKind } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import {
  type ReceivedCall,
  type Receiver,
  type ShownSecrets,
  startReceiver,
  verifyCall,
} from "@disburse/testkit/receiver.ts";
import { readReference } from "@disburse/testkit/reference.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import { approvers, proposalOf } from "./second-person.ts";

const described = readReference();

let platform: TestPlatform;
let acme: Merchant;
let beneficiaryId = "";
let receiver: Receiver;
let endpointId = "";
let secrets: ShownSecrets;

const endpoints = "/api/v1/webhooks/endpoints";
const deliveries = "/api/v1/webhooks/deliveries";

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" });
  acme = merchantOf(platform.baseUrl, platform.apiKey("acme"));
  const created = await acme.data("POST", paths.fiat, bankBody());
  beneficiaryId = created.beneficiary_id;
});
afterAll(() => platform?.stop());

beforeEach(async () => {
  receiver = await startReceiver();
  const created = await acme.data("POST", endpoints, { url: receiver.url, description: "test" });
  endpointId = created.id;
  secrets = { secret: created.secret, standardSecret: created.standard_secret };
  return async () => {
    await acme.call("DELETE", `${endpoints}/${endpointId}`);
    await receiver.close();
  };
});

async function pay(referenceId: string): Promise<string> {
  const quote = await acme.data("POST", "/api/v1/transfer/rfq", {
    source_amount: "12.30",
    beneficiary_id: beneficiaryId,
    source_currency_code: "USD",
    destination_currency_code: "USD",
    account_id: platform.accountId("acme", "USD"),
  });
  const body = { quote_id: quote.id, reference_id: referenceId };
  return (await acme.data("POST", "/api/v1/transfer/execute", body)).id;
}

const statusOf = (call: ReceivedCall): string => JSON.parse(call.body.toString()).data.status;
/** Selects the calls about one payout, since calls of earlier tests may still arrive. */
const about = (id: string, status?: string) => (call: ReceivedCall) =>
  JSON.parse(call.body.toString()).transaction_id === id &&
  (status === undefined || statusOf(call) === status);
const genuine = { interface: true, interfacePrevious: false, standard: true };

describe("an endpoint with headers of its own that is created paused", () => {
  it("gets its events with them when it is resumed, and replays those of one type", async () => {
    const secret = "Bearer 3f9a0c7d55e1";
    const headers = { Authorization: secret, "X-Shop": "eu" };
    const created = await acme.data("POST", endpoints, {
      ...{ url: `${receiver.url}/own`, headers, paused: true },
    });
    const masked = { Authorization: "********", "X-Shop": "********" };
    expect(created).toMatchObject({ state: "paused", pause_reason: "requested", headers: masked });
    const path = `${endpoints}/${created.id}`;
    const test = await acme.data("POST", `${path}/test`);
    await acme.data("POST", `${path}/resume`);
    const own = { filter: ({ path: to }: ReceivedCall) => to.endsWith("/own") };
    const [first] = await receiver.waitFor(1, own);
    expect(first?.headers).toMatchObject({ authorization: secret, "x-shop": "eu" });
    expect(first?.headers["webhook-id"]).toBe(test.event_id);
    const shown = await acme.call("GET", path);
    expect(shown.json.data.headers).toEqual(masked);
    const again = await acme.call("PATCH", path, { headers: shown.json.data.headers });
    expect([again.status, again.json.code]).toEqual([400, "INVALID_REQUEST"]);
    const elsewhere = await acme.call("PATCH", path, { url: "http://127.0.0.2:9/own" });
    expect(elsewhere.json.message).toContain("headers: must be sent again");

    const since = new Date(Date.now() - 1_000).toISOString();
    const id = await pay("own-headers");
    const about = own.filter;
    await receiver.waitFor(3, { filter: about });
    await expect
      .poll(async () => {
        const query = `?endpoint_id=${created.id}&transaction_id=${id}&state=delivered`;
        return (await acme.data("GET", deliveries + query)).meta_data.total_count;
      })
      .toBe(2);
    const replay = await acme.data("POST", "/api/v1/webhooks/replays", {
      ...{ endpoint_id: created.id, since, states: ["delivered"] },
      event_types: ["payout_session.succeeded"],
    });
    expect(replay).toMatchObject({ total_count: 1, event_types: ["payout_session.succeeded"] });
    const [, , , replayed] = await receiver.waitFor(4, own);
    expect(statusOf(replayed!)).toBe("succeeded");
    expect(replayed?.headers).toMatchObject({ authorization: secret });

    await acme.data("PATCH", path, { event_types: ["endpoint.failing", "endpoint.recovered"] });
    const simulated = `/api/v1/sandbox/webhooks/endpoints/${created.id}/events`;
    for (const type of ["endpoint.failing", "endpoint.recovered"]) {
      await acme.data("POST", simulated, { transaction_type: type });
    }
    const payout = { transaction_type: "payout_session" };
    await acme.data("POST", simulated, { ...payout, status: "succeeded" });
    const impossible = await acme.post(simulated, { ...payout, status: "paid" });
    expect([impossible.status, impossible.json.message]).toEqual([
      400,
      "status: must be one of initiated, succeeded, failed",
    ]);
    const calls = await receiver.waitFor(7, own);
    const bodies = calls.slice(4).map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map(({ data }) => data.sub_status ?? data.status).toSorted()).toEqual([
      ...["failing", "recovered", "settled"],
    ]);
    for (const body of bodies) expect(described.webhookProblems(body)).toEqual([]);
    await acme.call("DELETE", path);
  });
});

describe("a webhook", () => {
  it("tells of a payout that was cancelled", async () => {
    const id = await pay("sandbox-batch-w");
    await acme.data("POST", `${paths.payouts}/${id}/cancel`);
    const [, failed] = await receiver.waitFor(2, { filter: about(id) });
    if (failed === undefined) return expect.unreachable("no second call");
    expect(JSON.parse(failed.body.toString()).data).toMatchObject({
      ...{ status: "failed", sub_status: "cancelled", failure_code: "CANCELLED" },
      ...{ unique_transaction_reference: "", returned_reference: "" },
    });
    expect(failed.headers["webhook-sequence"]).toBe("2");
    expect(verifyCall(failed, secrets)).toEqual(genuine);
    expect(described.webhookProblems(JSON.parse(failed.body.toString()))).toEqual([]);
  });

  it("tells of each status once, in order, with the data of the interface, signed", async () => {
    const id = await pay("sandbox-return-w");
    const calls = await receiver.waitFor(3, { filter: about(id) });
    expect(calls.map(statusOf)).toEqual(["initiated", "succeeded", "failed"]);
    expect(calls.map(({ headers }) => headers["webhook-sequence"])).toEqual(["1", "2", "3"]);
    expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
    for (const call of calls) {
      expect(verifyCall(call, secrets)).toEqual(genuine);
      expect(described.webhookProblems(JSON.parse(call.body.toString()))).toEqual([]);
    }
    const [first, second, third] = calls.map(({ body }) => body.toString());
    expect(JSON.parse(first ?? "")).toMatchObject({
      transaction_type: "payout_session",
      transaction_id: id,
    });
    expect(Object.keys(JSON.parse(first ?? "").data)).toEqual([
      ...["id", "reference_id", "status", "merchant_id", "quote_id", "corridor_id"],
      ...["source_currency_code", "destination_currency_code", "beneficiary_id"],
      ...["source_amount", "receiving_amount", "exchange_rate", "total_fees"],
      ...["fixed_cost_currency", "unique_transaction_reference", "created_at", "updated_at"],
      ...["sub_status", "failure_code", "returned_reference", "created_by"],
    ]);
    const { created_by } = await acme.data("GET", `${paths.payouts}/${id}`);
    expect(created_by).toMatchObject({ type: "api_key", name: "sandbox key of acme" });
    for (const body of [first, second, third]) {
      expect(JSON.parse(body ?? "").data.created_by).toEqual(created_by);
    }
    expect(first).toContain('"source_amount":12.30,');
    const reference = /"unique_transaction_reference":"([^"]*)"/;
    expect(reference.exec(first ?? "")?.[1]).toBe("");
    expect(reference.exec(second ?? "")?.[1]).not.toBe("");
    expect(reference.exec(third ?? "")?.[1]).toBe("");
    const statuses = [first, second, third].map((body) => {
      const { sub_status, failure_code } = JSON.parse(body ?? "").data;
      return `${sub_status} ${failure_code}`;
    });
    expect(statuses).toEqual(["queued ", "settled ", "returned ACCOUNT_CLOSED"]);
    const returned = JSON.parse(third ?? "").data.returned_reference;
    expect(returned).toBe(reference.exec(second ?? "")?.[1]);
  });

  it("is tried again after anything but 200, and its attempts can be read", async () => {
    let refusals = 0;
    receiver.answer({
      each: (call) => (statusOf(call) === "initiated" && ++refusals === 1 ? 204 : 200),
    });
    const id = await pay("order-retried");
    const [first, again] = await receiver.waitFor(2, { filter: about(id, "initiated") });
    expect(again?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const waited = Number(again?.receivedAt) - Number(first?.receivedAt);
    expect(waited).toBeGreaterThanOrEqual(5_000);
    const listed = await vi.waitFor(async () => {
      const query = `?transaction_id=${id}&endpoint_id=${endpointId}&state=delivered`;
      const { deliveries: found } = await acme.data("GET", deliveries + query);
      expect(found).toHaveLength(2);
      return found;
    }, 10_000);
    const retried = listed.find((each: { status: string }) => each.status === "initiated");
    const read = await acme.data("GET", `${deliveries}/${retried.id}`);
    expect(read.attempts.map((each: { status_code: number }) => each.status_code)).toEqual([
      204, 200,
    ]);
    await acme.data("POST", `${deliveries}/${retried.id}/redeliver`, {});
    const replayed = await receiver.waitFor(3, { filter: about(id, "initiated") });
    expect(replayed[2]?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  it("is signed with new and old secrets after a rotation, with the new alone after a leak", async () => {
    const rotate = (body: object) =>
      acme.data("POST", `${endpoints}/${endpointId}/rotate-secret`, body);
    const rotated = await rotate({});
    const fresh = { secret: rotated.secret, standardSecret: rotated.standard_secret };
    const id = await pay("order-rotated");
    const [call] = await receiver.waitFor(1, { filter: about(id) });
    if (call === undefined) throw new Error("no call");
    expect(verifyCall(call, fresh)).toMatchObject({ interface: true, standard: true });
    const old = verifyCall(call, secrets);
    expect(old).toEqual({ interface: false, interfacePrevious: true, standard: true });
    await rotate({ overlap_seconds: 0 });
    await acme.data("POST", `${endpoints}/${endpointId}/test`, {});
    const test = (call: ReceivedCall) =>
      statusOf(call) !== "initiated" && statusOf(call) !== "succeeded";
    const [leaked] = await receiver.waitFor(1, { filter: test });
    if (leaked === undefined) throw new Error("no test event");
    const none = { interface: false, interfacePrevious: false, standard: false };
    expect(verifyCall(leaked, fresh)).toEqual(none);
  });

  it("waits while its endpoint is paused, and is of what the endpoint asked for", async () => {
    const one = `${endpoints}/${endpointId}`;
    await acme.data("PATCH", one, { event_types: ["payout_session.succeeded"] });
    expect((await acme.data("POST", `${one}/pause`)).state).toBe("paused");
    const id = await pay("order-paused");
    await vi.waitFor(
      async () => {
        const { deliveries: created } = await acme.data(
          "GET",
          `${deliveries}?transaction_id=${id}`,
        );
        expect(created).toMatchObject([{ state: "pending", status: "succeeded" }]);
      },
      { timeout: 10_000, interval: 50 },
    );
    expect((await acme.data("GET", one)).health.pending_count).toBeGreaterThan(0);
    expect(receiver.calls.filter(about(id))).toEqual([]);
    expect((await acme.data("POST", `${one}/resume`)).state).toBe("active");
    const calls = await receiver.waitFor(1, { filter: about(id) });
    expect(calls.map(statusOf)).toEqual(["succeeded"]);
  });

  it("is not sent to an endpoint that was deleted, nor to another merchant's", async () => {
    const globex = merchantOf(platform.baseUrl, platform.apiKey("globex"));
    const other = await startReceiver();
    await globex.data("POST", endpoints, { url: other.url });
    await acme.call("DELETE", `${endpoints}/${endpointId}`);
    const second = await startReceiver();
    const created = await acme.data("POST", endpoints, { url: second.url });
    const id = await pay("order-elsewhere");
    await second.waitFor(2, { filter: about(id) });
    expect(receiver.calls.filter(about(id))).toEqual([]);
    expect(other.calls).toEqual([]);
    await acme.call("DELETE", `${endpoints}/${created.id}`);
    await Promise.all([other.close(), second.close()]);
  });
});

it("of a credit goes to the endpoint that names it alone", async () => {
  const chosen = await startReceiver();
  const eventTypes = ["account.credited"];
  const created = await acme.data("POST", endpoints, { url: chosen.url, event_types: eventTypes });
  const accountId = platform.accountId("acme", "USD");
  const { payout } = platform.clients;
  const { entry } = await payout.creditAccount({
    mutation: { operationId: crypto.randomUUID() },
    ...{
      merchantId: platform.sandbox.merchants.acme.merchant_id,
      accountId,
      amount: "17.25",
      note: "top-up",
    },
  });
  const [call] = await chosen.waitFor(1);
  const own = { secret: created.secret, standardSecret: created.standard_secret };
  expect(verifyCall(call!, own)).toEqual(genuine);
  const body = JSON.parse(call?.body.toString() ?? "");
  expect(described.webhookProblems(body)).toEqual([]);
  expect(body).toMatchObject({
    ...{ transaction_type: "account.credited", transaction_id: accountId },
    data: { status: "credited", entry_id: entry?.id, currency_code: "USD", note: "top-up" },
  });
  expect(call?.body.toString()).toContain('"amount":17.25,');
  expect(receiver.calls.filter(about(accountId))).toEqual([]);
  await acme.call("DELETE", `${endpoints}/${created.id}`);
  await chosen.close();
});

it("of a low balance is sent once for each fall below the merchant's threshold", async () => {
  const chosen = await startReceiver();
  const eventTypes = ["account.balance_low"];
  const created = await acme.data("POST", endpoints, { url: chosen.url, event_types: eventTypes });
  const accountId = platform.accountId("acme", "USD");
  const account = `/api/v1/transfer/accounts/${accountId}`;
  const { available } = await acme.data("GET", account);
  const threshold = String(available);
  const set = (body: object) => acme.data("PATCH", account, body);
  expect(await set({ name: "Payroll", low_balance_threshold: threshold })).toMatchObject({
    ...{ name: "Payroll", low_balance_threshold: available },
  });
  await pay("falls below it");
  await pay("stays below it");
  const [call] = await chosen.waitFor(1);
  const own = { secret: created.secret, standardSecret: created.standard_secret };
  expect(verifyCall(call!, own)).toEqual(genuine);
  const body = JSON.parse(call?.body.toString() ?? "");
  expect(described.webhookProblems(body)).toEqual([]);
  expect(body).toMatchObject({
    ...{ transaction_type: "account.balance_low", transaction_id: accountId },
    data: { status: "low", name: "Payroll", low_balance_threshold: available },
  });
  await acme.data("POST", `/api/v1/sandbox/accounts/${accountId}/credit`, { amount: "10000" });
  await set({ low_balance_threshold: "9999999999" });
  await chosen.waitFor(2);
  expect(chosen.calls).toHaveLength(2);
  await set({ name: "", low_balance_threshold: "" });
  expect(receiver.calls.filter(about(accountId))).toEqual([]);
  await acme.call("DELETE", `${endpoints}/${created.id}`);
  await chosen.close();
});

it("never shows a secret again, nor the endpoints of others", async () => {
  const read = await acme.get(`${endpoints}/${endpointId}`);
  expect(read.json.data).toMatchObject({ id: endpointId, url: receiver.url, description: "test" });
  expect(read.text).not.toContain(secrets.secret);
  expect(read.text).not.toContain("whsec_");
  const globex = merchantOf(platform.baseUrl, platform.apiKey("globex"));
  expect((await globex.get(`${endpoints}/${endpointId}`)).status).toBe(404);
  expect((await globex.call("DELETE", `${endpoints}/${endpointId}`)).status).toBe(404);
  expect((await acme.get(`${endpoints}/${endpointId}`)).status).toBe(200);
});

describe("a payout whose rail never tells", () => {
  it("is resolved by two persons, and its merchant hears of it", async () => {
    const { operations } = platform.clients;
    const payoutId = await pay("sandbox-silent-w");
    await vi.waitFor(
      async () => {
        const { exceptions: payouts } = await operations.listPayoutExceptions({
          kind: ExceptionKind.UNKNOWN,
        });
        expect(payouts.map(({ payout }) => payout?.id)).toContain(payoutId);
      },
      { timeout: 10_000, interval: 50 },
    );
    const ada = platform.as("ada");
    const proposed = ada.operations.resolvePayout({
      mutation: { operationId: "resolve-1" },
      ...{ payoutId, outcome: RailOutcome.SETTLED, transactionReference: "WIRE-1" },
      reason: "the bank's statement of the day",
    });
    const { proposalId, contentDigest } = await proposalOf(proposed);
    const approval = { mutation: { operationId: "approve-1" }, proposalId, contentDigest };
    // Under another name, it is still the same caller.
    const inBobsName = {
      operationId: "approve-1",
      actor: { kind: Actor_Kind.OPERATOR, id: "bob" },
    };
    const { as, close } = approvers(platform, "payout");
    for (const mutation of [approval.mutation, inBobsName]) {
      const alone = as("ada").approveProposal({ ...approval, mutation });
      await expect(alone).rejects.toThrow("ACCESS_FORBIDDEN");
    }
    const { proposal } = await as("bob").approveProposal(approval);
    expect(proposal?.state).toBe(ProposalState.EXECUTED);
    close();
    const calls = await receiver.waitFor(2, { filter: about(payoutId) });
    expect(calls.map(statusOf)).toEqual(["initiated", "succeeded"]);
    const payout = await acme.data("GET", `${paths.payouts}/${payoutId}`);
    expect(payout).toMatchObject({
      ...{ status: "succeeded", sub_status: "settled", unique_transaction_reference: "WIRE-1" },
    });
    const { events } = await acme.data("GET", `${paths.payouts}/${payoutId}/events`);
    expect(events.at(-1)).toMatchObject({ cause: "resolved", version: 2 });
    const { entries } = await operations.listAuditEntries({ subject: payoutId });
    expect(entries.map(({ action, actor }) => `${action} by ${actor?.id}`)).toEqual([
      "payout.resolved by ada",
    ]);
  });
});
