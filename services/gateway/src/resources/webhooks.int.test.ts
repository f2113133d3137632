import {
  CircuitState,
  DeliveryOrder,
  DeliveryState,
  EndpointState,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { describe, expect, it } from "vitest";
import { at, times, useCalls, wireAt, wireTimes } from "../test-calls.ts";

const calls = useCalls();

const endpoint = {
  ...{ id: "whe_1", url: "https://a.example/x", description: "till", ...times },
  ...{ state: EndpointState.PAUSED, order: DeliveryOrder.STRICT, eventTypes: ["refund"] },
  pendingUrl: "https://a.example/y",
  pausedAt: at,
  pauseReason: "gone",
};
const wireEndpoint = {
  ...{ id: "whe_1", url: "https://a.example/x", description: "till", ...wireTimes },
  ...{ state: "paused", order: "strict", event_types: ["refund"] },
  pending_url: "https://a.example/y",
  paused_at: wireAt,
  pause_reason: "gone",
};
const health = {
  ...{ circuit: CircuitState.OPEN, concurrencyLimit: 1, consecutiveFailures: 12 },
  ...{ lastFailedAt: at, lastFailure: "503", pendingCount: 10_000n, oldestPendingAt: at },
};
const wireHealth = {
  ...{ circuit: "open", concurrency_limit: 1, consecutive_failures: 12, last_delivered_at: "" },
  ...{ last_failed_at: wireAt, last_failure: "503" },
  ...{ pending_count: 10_000, oldest_pending_at: wireAt },
};
const secrets = { secret: "c2VjcmV0", standardSecret: "whsec_c2VjcmV0" };
const wireSecrets = { secret: "c2VjcmV0", standard_secret: "whsec_c2VjcmV0" };
const delivery = {
  ...{ id: "whd_1", endpointId: "whe_1", eventId: "evt_1", transactionType: "payout_session" },
  ...{ transactionId: "po_1", status: "initiated", sequence: 1n, attemptsCount: 1, replay: 0 },
  ...{ state: DeliveryState.EXHAUSTED, ...times },
};
const wireDelivery = {
  ...{ id: "whd_1", endpoint_id: "whe_1", event_id: "evt_1", transaction_type: "payout_session" },
  ...{ transaction_id: "po_1", status: "initiated", sequence: 1, attempts_count: 1, replay: 0 },
  ...{ state: "exhausted", next_attempt_at: "", test: false, ...wireTimes },
};

describe("webhooks", () => {
  const path = "/api/v1/webhooks/endpoints";

  it("endpoints are registered, listed, read and removed", async () => {
    calls.fakes().notifier.createEndpoint = calls.replying({ endpoint, secrets });
    calls.fakes().notifier.listEndpoints = calls.replying({
      endpoints: [{ ...endpoint, health }],
      totalCount: 1n,
    });
    calls.fakes().notifier.getEndpoint = calls.replying({
      endpoint: { ...endpoint, health },
    });
    calls.fakes().notifier.deleteEndpoint = calls.replying({});
    const body =
      '{"url":"https://a.example/x","description":5,"order":"none","event_types":["refund"]}';
    expect(await calls.data({ path, body })).toEqual({ ...wireEndpoint, ...wireSecrets });
    expect(await calls.data({ path: `${path}?limit=5&cursor=c` })).toEqual({
      endpoints: [{ ...wireEndpoint, health: wireHealth }],
      meta_data: { total_count: 1, next_cursor: "" },
    });
    expect(await calls.data({ path: `${path}/whe_1` })).toEqual({
      ...wireEndpoint,
      health: wireHealth,
    });
    const removed = await calls.data({ method: "DELETE", path: `${path}/whe_1` });
    expect(removed).toEqual({ id: "whe_1", deleted: true });
    expect(calls.requests()).toMatchObject([
      {
        merchantId: calls.merchantId(),
        ...{ url: "https://a.example/x", order: "none", eventTypes: ["refund"] },
        unreadable: [{ field: "description" }],
      },
      { merchantId: calls.merchantId(), limit: 5, cursor: "c" },
      { merchantId: calls.merchantId(), endpointId: "whe_1" },
      {
        merchantId: calls.merchantId(),
        endpointId: "whe_1",
        mutation: { actor: { id: calls.keyId() } },
      },
    ]);
  });

  it("endpoints are changed once for an idempotency key", async () => {
    calls.fakes().notifier.updateEndpoint = calls.replying({ endpoint });
    const body = '{"description":"","event_types":["*"],"order":7,"url":null}';
    const headers = { "Idempotency-Key": "change-1" };
    const patch = { method: "PATCH", path: `${path}/whe_1`, body, headers };
    expect(await calls.data(patch)).toEqual(wireEndpoint);
    expect((await calls.ask(patch)).headers["idempotent-replayed"]).toBe("true");
    const other = await calls.ask({ ...patch, body: '{"order":"none"}' });
    expect(other.json.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect((await calls.ask({ ...patch, body: "" })).json.code).toBe("INVALID_JSON");
    const [sent, ...more] = calls.requests();
    expect(more).toEqual([]);
    expect(sent).toMatchObject({
      ...{ merchantId: calls.merchantId(), endpointId: "whe_1", description: "" },
      ...{ eventTypes: ["*"], unreadable: [{ field: "order" }] },
      mutation: { actor: { id: calls.keyId() } },
    });
    expect([sent?.url, sent?.order]).toEqual([undefined, undefined]);
  });

  it("endpoints have headers that are masked, kept or removed, and may begin paused", async () => {
    const { notifier } = calls.fakes();
    const headerNames = ["Authorization", "x-shop"];
    notifier.createEndpoint = calls.replying({ endpoint: { ...endpoint, headerNames }, secrets });
    notifier.updateEndpoint = calls.replying({ endpoint });
    const url = '"url":"https://a.example/x"';
    const body = `{${url},"paused":true,"headers":{"Authorization":"Bearer t","x-shop":"1"}}`;
    const created = await calls.data({ path, body });
    expect(created).toMatchObject({ headers: { Authorization: "********", "x-shop": "********" } });
    const patch = (sent: string) =>
      calls.data({ method: "PATCH", path: `${path}/whe_1`, body: sent });
    expect(await patch('{"headers":{}}')).toEqual(wireEndpoint);
    await patch('{"order":"none"}');
    await patch('{"headers":{"a b":"1"}}');
    const [first, emptied, kept, wrong] = calls.requests();
    expect(first).toMatchObject({
      paused: true,
      headers: { Authorization: "Bearer t", "x-shop": "1" },
    });
    expect([emptied?.headers, kept?.headers]).toEqual([{}, undefined]);
    expect(wrong).toMatchObject({ unreadable: [{ field: "headers" }] });
  });

  it("endpoints are paused, resumed and verified", async () => {
    const { notifier } = calls.fakes();
    notifier.pauseEndpoint = calls.replying({ endpoint });
    notifier.resumeEndpoint = calls.replying({ endpoint });
    notifier.verifyEndpoint = calls.replying({ endpoint });
    for (const what of ["pause", "resume", "verify"]) {
      const post = { method: "POST", path: `${path}/whe_1/${what}` };
      expect(await calls.data(post)).toEqual(wireEndpoint);
    }
    const sent = {
      ...{ merchantId: calls.merchantId(), endpointId: "whe_1" },
      mutation: { actor: { id: calls.keyId() } },
    };
    expect(calls.requests()).toMatchObject([sent, sent, sent]);
  });

  it.each([
    ["", undefined, false],
    ['{"overlap_seconds":0,"stage":true}', 0, true],
  ])("secrets are rotated by %s", async (body, overlapSeconds, stage) => {
    calls.fakes().notifier.rotateSecret = calls.replying({ endpoint, secrets });
    const answer = await calls.data({ method: "POST", path: `${path}/whe_1/rotate-secret`, body });
    expect(answer).toEqual({ ...wireEndpoint, ...wireSecrets });
    expect(calls.requests()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      endpointId: "whe_1",
      stage,
    });
    expect(calls.requests()[0]?.overlapSeconds).toBe(overlapSeconds);
  });

  it("staged secrets are activated and endpoints tried", async () => {
    calls.fakes().notifier.activateSecret = calls.replying({ endpoint });
    calls.fakes().notifier.sendTestEvent = calls.replying({ delivery });
    const post = (what: string) => calls.data({ method: "POST", path: `${path}/whe_1/${what}` });
    expect(await post("activate-secret")).toEqual(wireEndpoint);
    expect(await post("test")).toEqual(wireDelivery);
    const expected = {
      merchantId: calls.merchantId(),
      endpointId: "whe_1",
      mutation: { actor: { id: calls.keyId() } },
    };
    expect(calls.requests()).toMatchObject([expected, expected]);
  });

  it("deliveries are listed, read with their attempts, and sent again", async () => {
    const attempt = {
      ...{ number: 1, startedAt: at, durationMs: 12, statusCode: 500 },
      ...{ error: "", responseBody: "no" },
    };
    calls.fakes().notifier.listDeliveries = calls.replying({
      deliveries: [delivery],
      totalCount: 10_000n,
      totalCountCapped: true,
      nextCursor: "c",
    });
    calls.fakes().notifier.getDelivery = calls.replying({
      delivery: { ...delivery, nextAttemptAt: at, attempts: [attempt] },
    });
    calls.fakes().notifier.redeliver = calls.replying({ delivery });
    const deliveries = "/api/v1/webhooks/deliveries";
    const query = "?endpoint_id=whe_1&transaction_id=po_1&state=exhausted&limit=1&cursor=c0";
    const meta = { total_count: 10_000, total_count_capped: true, next_cursor: "c" };
    const page = { deliveries: [wireDelivery], meta_data: meta };
    expect(await calls.data({ path: deliveries + query })).toEqual(page);
    expect(await calls.data({ path: `${deliveries}/whd_1` })).toEqual({
      ...wireDelivery,
      next_attempt_at: wireAt,
      attempts: [
        {
          ...{ number: 1, started_at: wireAt, duration_ms: 12, status_code: 500 },
          ...{ error: "", response_body: "no" },
        },
      ],
    });
    const again = { method: "POST", path: `${deliveries}/whd_1/redeliver` };
    expect(await calls.data(again)).toEqual(wireDelivery);
    const state = DeliveryState.EXHAUSTED;
    expect(calls.requests()).toMatchObject([
      {
        merchantId: calls.merchantId(),
        endpointId: "whe_1",
        transactionId: "po_1",
        state,
        limit: 1,
        cursor: "c0",
      },
      { merchantId: calls.merchantId(), deliveryId: "whd_1" },
      {
        merchantId: calls.merchantId(),
        deliveryId: "whd_1",
        mutation: { actor: { id: calls.keyId() } },
      },
    ]);
  });

  it("have their endpoint's id under either of its names", async () => {
    const { notifier } = calls.fakes();
    notifier.listDeliveries = calls.replying({ deliveries: [], totalCount: 0n });
    notifier.createReplay = calls.replying({ replay: { id: "whr_1", ...times } });
    const deliveries = "/api/v1/webhooks/deliveries";
    const replays = "/api/v1/webhooks/replays";
    await calls.data({ path: `${deliveries}?endpoint=whe_1` });
    await calls.data({ path: `${deliveries}?endpoint=whe_1&endpoint_id=whe_1` });
    await calls.data({ path: replays, body: '{"endpoint":"whe_1","since":"2026-11-20"}' });
    expect(calls.requests()).toMatchObject(Array(3).fill({ endpointId: "whe_1" }));
    const message = "endpoint: must be equal to endpoint_id where both are sent";
    for (const request of [
      { path: `${deliveries}?endpoint=whe_1&endpoint_id=whe_2` },
      { path: replays, body: '{"endpoint":"whe_1","endpoint_id":"whe_2"}' },
    ]) {
      expect(await calls.ask(request)).toMatchObject({
        status: 400,
        json: { code: "INVALID_REQUEST", message },
      });
    }
    const repeated = await calls.ask({ path: `${deliveries}?endpoint=a&endpoint=a` });
    expect(repeated.status).toBe(400);
  });

  it("are replayed in numbers", async () => {
    const { notifier } = calls.fakes();
    const replay = {
      ...{ id: "whr_1", endpointId: "whe_1", since: at, until: at, ratePerSecond: 25, ...times },
      ...{ states: [DeliveryState.EXHAUSTED], state: ReplayState.RUNNING },
      eventTypes: ["refund"],
      ...{ totalCount: 10_000n, totalCountCapped: true, queuedCount: 7n },
    };
    const wireReplay = {
      ...{ id: "whr_1", endpoint_id: "whe_1", since: wireAt, until: wireAt, rate: 25 },
      ...{ states: ["exhausted"], state: "running", total_count: 10_000, ...wireTimes },
      event_types: ["refund"],
      ...{ total_count_capped: true, queued_count: 7 },
    };
    notifier.createReplay = calls.replying({ replay });
    notifier.getReplay = calls.replying({ replay });
    notifier.cancelReplay = calls.replying({ replay });
    notifier.listReplays = calls.replying({ replays: [replay], totalCount: 1n });
    const replays = "/api/v1/webhooks/replays";
    const body =
      '{"endpoint_id":"whe_1","since":"2026-11-20","states":["exhausted"],"event_types":["refund"],"rate":25,"until":5}';
    expect(await calls.data({ path: replays, body })).toEqual(wireReplay);
    expect(await calls.data({ path: `${replays}?limit=5&cursor=c0` })).toEqual({
      replays: [wireReplay],
      meta_data: { total_count: 1, next_cursor: "" },
    });
    expect(await calls.data({ path: `${replays}/whr_1` })).toEqual(wireReplay);
    const cancelled = await calls.data({ method: "DELETE", path: `${replays}/whr_1` });
    expect(cancelled).toEqual(wireReplay);
    const merchantId = calls.merchantId();
    const mutation = { actor: { id: calls.keyId() } };
    expect(calls.requests()).toMatchObject([
      {
        ...{ merchantId, mutation, endpointId: "whe_1", since: "2026-11-20", ratePerSecond: 25 },
        ...{ states: ["exhausted"], eventTypes: ["refund"], unreadable: [{ field: "until" }] },
      },
      { merchantId, limit: 5, cursor: "c0" },
      { merchantId, replayId: "whr_1" },
      { merchantId, replayId: "whr_1", mutation },
    ]);
  });

  it("events are read from a cursor on, with every digit of their bodies", async () => {
    const data = '{"id":"po_1","amount":100.10,"rate":1.50e2,"of":[{"n":12345678901234567890.0}]}';
    const body = `{"transaction_type":"payout_session","transaction_id":"po_1","data":${data}}`;
    calls.fakes().notifier.listEvents = calls.replying({
      events: [
        {
          ...{ eventId: "evt_1_2", transactionType: "payout_session", transactionId: "po_1" },
          ...{ status: "succeeded", sequence: 2n, body: Buffer.from(body) },
          ...{ occurredAt: at, receivedAt: at },
        },
      ],
      nextCursor: "c2",
      hasMore: true,
    });
    const reply = await calls.ask({ path: "/api/v1/events?after=c1&limit=1" });
    expect(reply.text).toContain(`"data":${data}`);
    expect(reply.json.data).toMatchObject({
      events: [
        {
          ...{ id: "evt_1_2", transaction_type: "payout_session", transaction_id: "po_1" },
          ...{ status: "succeeded", sequence: 2, occurred_at: wireAt, received_at: wireAt },
        },
      ],
      ...{ next_cursor: "c2", has_more: true },
    });
    expect(calls.requests()).toMatchObject([
      { merchantId: calls.merchantId(), after: "c1", limit: 1 },
    ]);
    expect(await calls.ask({ path: "/api/v1/events?after=%00" })).toMatchObject({ status: 400 });
  });
});
