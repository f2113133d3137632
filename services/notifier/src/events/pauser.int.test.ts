import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import {
  DeliveryState,
  EndpointState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepExpired } from "../deliveries/retention.ts";
import type { Outcome } from "../sender/rules/outcome.ts";
import {
  acknowledged,
  hookUrl,
  operation,
  type Posted,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

const dayMs = 86_400_000;

let notifier: TestNotifier;
beforeEach(async () => {
  notifier = await startTestNotifier();
});
afterEach(() => notifier.drop());

/** Works for `ms`, running each attempt when it is due. */
async function workFor(ms: number): Promise<void> {
  const until = notifier.world.now.getTime() + ms;
  await notifier.work();
  for (let before = notifier.world.now; await notifier.advanceToNext(); ) {
    // Due deliveries may have to wait for a slot.
    if (notifier.world.now <= before) notifier.advance(1_000);
    before = notifier.world.now;
    if (before.getTime() >= until) break;
    await notifier.work();
  }
  notifier.world.now = new Date(until);
  await notifier.work();
}

type Hook = Awaited<ReturnType<typeof register>>;
const endpointOf = async ({ merchantId, endpointId }: Hook) =>
  (await notifier.rpc.getEndpoint({ merchantId, endpointId })).endpoint;
const isPaused = async (hook: Hook) => (await endpointOf(hook))?.state === EndpointState.PAUSED;
const pauses = async () => {
  while (await notifier.pauser.round());
};
const resume = ({ merchantId, endpointId }: Hook) =>
  notifier.rpc.resumeEndpoint({ mutation: operation(), merchantId, endpointId });
const statesOf = async ({ merchantId, endpointId }: Hook) =>
  (await notifier.rpc.listDeliveries({ merchantId, endpointId, limit: 100 })).deliveries.map(
    ({ state }) => state,
  );
const unreachable = async () => {
  await pauses();
  const [, count] =
    /^disburse_webhook_merchants_unreachable\S* (\d+)$/m.exec(await notifier.series()) ?? [];
  return Number(count);
};
/** Sets the responses of the first URL. Other URLs acknowledge. */
function respond(by: (call: Posted, attempt: number) => Outcome): void {
  let attempts = 0;
  notifier.world.answer = (call) => (call.url === hookUrl ? by(call, ++attempts) : acknowledged);
}

describe("an endpoint that answers every attempt of a delivery with 410 for 24 hours", () => {
  it("is paused; the merchant's other endpoint, its feed and the audit trail show it", async () => {
    const hook = await register(notifier);
    const other = await register(notifier, hook.merchantId, `${hookUrl}/other`);
    const subscribed = { ...other, mutation: operation(), eventTypes: ["refund"] };
    await notifier.rpc.updateEndpoint(subscribed);
    respond(() => refusedBy(410));
    await notifier.consume([payoutMessage(hook)]);
    await workFor(dayMs);
    expect(await statesOf(hook)).toEqual([DeliveryState.EXHAUSTED]);
    expect(await isPaused(hook)).toBe(false);
    await pauses();
    expect(await endpointOf(hook)).toMatchObject({
      state: EndpointState.PAUSED,
      pauseReason: "gone",
    });
    await notifier.work();
    const [notice, ...more] = notifier.world.posted.filter(({ url }) => url.endsWith("/other"));
    expect(more).toEqual([]);
    const body = JSON.parse(Buffer.from(notice!.body).toString());
    expect(body).toMatchObject({
      transaction_type: "webhook_endpoint.paused",
      transaction_id: hook.endpointId,
      data: { id: hook.endpointId, status: "paused", reason: "gone" },
    });
    const { events } = await notifier.rpc.listEvents({ merchantId: hook.merchantId });
    expect(events.map(({ transactionType }) => transactionType)).toContain(
      "webhook_endpoint.paused",
    );
    const [entry] = await openAuditStore(notifier.database).list(hook.endpointId, undefined, 10);
    expect(entry).toMatchObject({ action: "endpoint.paused", person: "notifier" });
    expect(await unreachable()).toBe(0);
    // No step is repeated.
    await pauses();
    expect(
      await openAuditStore(notifier.database).list(hook.endpointId, undefined, 10),
    ).toHaveLength(1);
    await resume(hook);
    await pauses();
    expect(await isPaused(hook)).toBe(false);
  });

  it.each([
    ["410 once, and then something else", (attempt: number) => (attempt === 1 ? 410 : 500)],
    ["something else once", (attempt: number) => (attempt === 9 ? 500 : 410)],
    ["no answer but 404", () => 404],
  ])("is not paused for %s", async (_name, status) => {
    const hook = await register(notifier);
    respond((_call, attempt) => refusedBy(status(attempt)));
    await notifier.consume([payoutMessage(hook)]);
    await workFor(dayMs);
    await pauses();
    expect(await statesOf(hook)).toEqual([DeliveryState.EXHAUSTED]);
    expect(await isPaused(hook)).toBe(false);
  });

  it("is retried like any other: one 410 loses nothing", async () => {
    const hook = await register(notifier);
    respond((_call, attempt) => (attempt === 1 ? refusedBy(410) : acknowledged));
    await notifier.consume([payoutMessage(hook)]);
    await workFor(10_000);
    await pauses();
    expect(await statesOf(hook)).toEqual([DeliveryState.DELIVERED]);
    expect(await isPaused(hook)).toBe(false);
  });

  it("shows operators a merchant without another endpoint, until it is resumed", async () => {
    const hook = await register(notifier);
    respond(() => refusedBy(410));
    await notifier.consume([payoutMessage(hook)]);
    await workFor(dayMs);
    expect(await unreachable()).toBe(1);
    await resume(hook);
    expect(await unreachable()).toBe(0);
  });

  it("is paused once if the process ended in the middle", async () => {
    const hook = await register(notifier);
    const other = await register(notifier, hook.merchantId, `${hookUrl}/other`);
    respond(() => refusedBy(410));
    await notifier.consume([payoutMessage(hook)]);
    await workFor(dayMs);
    const { revise } = notifier.endpoints;
    notifier.endpoints.revise = () => Promise.reject(new Error("ended"));
    await expect(notifier.pauser.round()).rejects.toThrow("ended");
    notifier.endpoints.revise = revise;
    expect(await isPaused(hook)).toBe(false);
    const { events } = await notifier.rpc.listEvents({ merchantId: hook.merchantId });
    expect(events.filter(({ status }) => status === "paused")).toEqual([]);
    notifier.advance(60_000);
    const { publishOne } = notifier.fanOut;
    notifier.fanOut.publishOne = () => Promise.reject(new Error("ended"));
    await expect(notifier.pauser.round()).rejects.toThrow("ended");
    notifier.fanOut.publishOne = publishOne;
    expect(await isPaused(hook)).toBe(true);
    await pauses();
    // Another process, or this one after a restart, announces it again under the same key.
    const beside = await startTestNotifier({ beside: notifier });
    await beside.pauser.round();
    await beside.close();
    await notifier.work();
    const notices = notifier.world.posted.filter(
      ({ url, body }) => url.endsWith("/other") && Buffer.from(body).includes("endpoint.paused"),
    );
    expect(notices).toHaveLength(1);
    expect(
      await openAuditStore(notifier.database).list(hook.endpointId, undefined, 10),
    ).toHaveLength(1);
    expect(other.endpointId).not.toBe(hook.endpointId);
  });
});

describe("an endpoint that acknowledges nothing", () => {
  /** Works one day for each entry. An event is due at its start if the entry is true. */
  async function daily(hook: Hook, days: readonly boolean[]): Promise<void> {
    for (const isDue of days) {
      if (isDue) await notifier.consume([payoutMessage(hook)]);
      await workFor(dayMs);
    }
  }

  it("is paused after five days with a due delivery each, and restarts when resumed", async () => {
    const hook = await register(notifier);
    respond(() => refusedBy(500));
    await daily(hook, [true, true, true, true]);
    await pauses();
    expect(await isPaused(hook)).toBe(false);
    await daily(hook, [true]);
    await pauses();
    expect(await endpointOf(hook)).toMatchObject({ pauseReason: "unresponsive" });
    await resume(hook);
    await pauses();
    expect(await isPaused(hook)).toBe(false);
    await daily(hook, [true, true, true, true]);
    await pauses();
    expect(await isPaused(hook)).toBe(false);
    await daily(hook, [true, true]);
    await pauses();
    expect(await isPaused(hook)).toBe(true);
  });

  it("is not paused if it acknowledged one", async () => {
    const hook = await register(notifier);
    respond((_call, attempt) => (attempt === 40 ? acknowledged : refusedBy(500)));
    await daily(hook, [true, true, true, true, true, true]);
    await pauses();
    expect(await isPaused(hook)).toBe(false);
  });

  it("is paused also if another process takes over meanwhile", async () => {
    const hook = await register(notifier);
    respond(() => refusedBy(500));
    await daily(hook, [true, true, true]);
    await notifier.dispatcher.saveHealth();
    const before = notifier;
    const next = await startTestNotifier({ beside: before });
    notifier = next;
    // It takes over after the other process has been silent for 15 s.
    for (let ms = 0; ms <= 20_000; ms += 5_000) {
      next.advance(5_000);
      await next.dispatcher.poll();
    }
    await daily(hook, [true, true]);
    await pauses();
    expect(await isPaused(hook)).toBe(true);
    await next.close();
    notifier = before;
  });
});

describe("a delivery to a paused endpoint", () => {
  it("outlives 40 days, with the rest of its 24 hours", async () => {
    const hook = await register(notifier);
    respond(() => refusedBy(500));
    await notifier.consume([payoutMessage(hook)]);
    // Three attempts: 0, 5 and 15 s.
    await workFor(20_000);
    await notifier.rpc.pauseEndpoint({ ...hook, mutation: operation() });
    await notifier.consume([payoutMessage(hook)]);
    notifier.advance(40 * dayMs);
    while (await sweepExpired(notifier, notifier.world.now));
    await notifier.work();
    expect(await statesOf(hook)).toEqual([DeliveryState.PENDING, DeliveryState.PENDING]);
    const posted = notifier.world.posted.length;
    await resume(hook);
    await workFor(1_000);
    expect(notifier.world.posted).toHaveLength(posted + 2);
    await workFor(2 * dayMs);
    const { deliveries } = await notifier.rpc.listDeliveries(hook);
    expect(deliveries).toMatchObject([
      { state: DeliveryState.EXHAUSTED, attemptsCount: 15 },
      { state: DeliveryState.EXHAUSTED, attemptsCount: 15 },
    ]);
  });

  it("ends after 90 days, visibly", async () => {
    const hook = await register(notifier);
    respond(() => refusedBy(500));
    await notifier.consume([payoutMessage(hook)]);
    await notifier.work();
    await notifier.rpc.pauseEndpoint({ ...hook, mutation: operation() });
    await notifier.consume([payoutMessage(hook)]);
    const swept = async (ms: number) => {
      notifier.advance(ms);
      while (await sweepExpired(notifier, notifier.world.now));
      return (await statesOf(hook)).toSorted();
    };
    const { PENDING, EXHAUSTED } = DeliveryState;
    expect(await swept(90 * dayMs - 1)).toEqual([PENDING, PENDING]);
    expect(await swept(1)).toEqual([PENDING, EXHAUSTED]);
    expect(await swept(dayMs)).toEqual([EXHAUSTED, EXHAUSTED]);
  });

  it("goes at 100 a second when it is resumed, in order for each payout", async () => {
    const hook = await register(notifier);
    await notifier.rpc.pauseEndpoint({ ...hook, mutation: operation() });
    const payouts = Array.from({ length: 60 }, () => newId("payout"));
    for (const version of [1, 2, 3]) {
      await notifier.consume(
        payouts.map((payoutId) => payoutMessage({ ...hook, payoutId, version })),
      );
    }
    notifier.advance(3 * dayMs);
    const seen = new Map<string, number[]>();
    const concurrent = new Map<string, number>();
    const disordered: string[] = [];
    const times: number[] = [];
    respond((call) => {
      const [, payoutId = "", sequence] =
        /"transaction_id":"([^"]+)".*/.exec(Buffer.from(call.body).toString()) ?? [];
      expect(sequence).toBeUndefined();
      const number = Number(call.headers["webhook-sequence"]);
      const before = seen.get(payoutId) ?? [];
      if (before.length !== number - 1) disordered.push(payoutId);
      seen.set(payoutId, [...before, number]);
      concurrent.set(payoutId, (concurrent.get(payoutId) ?? 0) + 1);
      times.push(call.at.getTime());
      return acknowledged;
    });
    await resume(hook);
    const startedAt = notifier.world.now.getTime();
    for (let rounds = 0; rounds < 400 && times.length < 180; rounds += 1) {
      await notifier.work();
      notifier.advance(20);
    }
    expect(times).toHaveLength(180);
    expect(disordered).toEqual([]);
    // A page may start at once, and the next one waits for it.
    for (const [at, time] of times.entries()) {
      expect((time - startedAt) / 10 + 32).toBeGreaterThanOrEqual(at);
    }
  });
});
