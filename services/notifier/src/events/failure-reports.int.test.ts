import { newId } from "@disburse/kernel/id.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  acknowledged,
  hookUrl,
  operation,
  payoutMessage,
  refusedBy,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

const types = ["endpoint.failing", "endpoint.recovered"];
/** The 8th attempt of a delivery is made after 635 s, and up to 2 % later. */
const failingMs = 660_000;

let notifier: TestNotifier;
let failing: Set<string>;
beforeEach(async () => {
  notifier = await startTestNotifier();
  failing = new Set([hookUrl]);
  notifier.world.answer = ({ url }) => (failing.has(url) ? refusedBy(503) : acknowledged);
});
afterEach(() => notifier.drop());

type Hook = { readonly merchantId: string; readonly endpointId: string; readonly url: string };

async function hookAt(url: string, eventTypes = types, merchantId = newId("merchant")) {
  const mutation = operation();
  const its = { merchantId, url, eventTypes: ["payout_session", ...eventTypes] };
  const { endpoint } = await notifier.rpc.createEndpoint({ mutation, ...its, description: "shop" });
  return { merchantId, endpointId: endpoint!.id, url };
}

/** Registers an endpoint that fails, and another one that subscribes to the reports. */
async function pair(eventTypes = types) {
  const hook = await hookAt(hookUrl, eventTypes);
  const other = await hookAt(`${hookUrl}/other`, types, hook.merchantId);
  return { hook, other };
}

/** Works for `ms`, running each attempt when it is due, and reports after each. */
async function workFor(ms: number): Promise<void> {
  const until = notifier.world.now.getTime() + ms;
  for (;;) {
    await notifier.work();
    await round();
    await notifier.work();
    const { now } = notifier.world;
    const isDue = await notifier.advanceToNext();
    if (!isDue || notifier.world.now.getTime() >= until) break;
    // Due deliveries may have to wait for a slot.
    if (notifier.world.now <= now) notifier.advance(1_000);
  }
  notifier.world.now = new Date(until);
}
async function round(by = notifier) {
  await by.dispatcher.saveHealth();
  await by.failureReports.round();
}
const reportsTo = ({ url }: Hook) =>
  notifier.world.posted.flatMap((call) => {
    const body = JSON.parse(Buffer.from(call.body).toString());
    const isReport = call.url === url && types.includes(body.transaction_type);
    return isReport ? [{ ...body, webhookId: call.headers["webhook-id"] }] : [];
  });
const fed = async ({ merchantId }: Hook) =>
  (await notifier.rpc.listEvents({ merchantId })).events
    .map(({ transactionType }) => transactionType)
    .filter((type) => types.includes(type));

describe("an endpoint that fails for 10 minutes", () => {
  it("is reported once to the other endpoints, and once when it recovers", async () => {
    const { hook, other } = await pair();
    const silent = await hookAt(`${hookUrl}/silent`, ["*"], hook.merchantId);
    const since = notifier.world.now.toISOString();
    await notifier.consume([payoutMessage(hook)]);
    await workFor(600_000);
    expect(reportsTo(other)).toEqual([]);
    await workFor(60_000);
    expect(reportsTo(other)).toMatchObject([
      {
        transaction_type: "endpoint.failing",
        transaction_id: hook.endpointId,
        data: {
          id: hook.endpointId,
          status: "failing",
          merchant_id: hook.merchantId,
          description: "shop",
          failing_since: since,
          last_failure: "503",
        },
      },
    ]);
    await workFor(3 * 3_600_000);
    expect(reportsTo(other)).toHaveLength(1);
    failing.clear();
    await workFor(4 * 3_600_000);
    const [first, second, ...more] = reportsTo(other);
    expect(more).toEqual([]);
    expect(second).toMatchObject({
      transaction_type: "endpoint.recovered",
      data: { id: hook.endpointId, status: "recovered", failing_since: since },
    });
    expect(second.data.recovered_at > first.data.failing_since).toBe(true);
    expect([...reportsTo(hook), ...reportsTo(silent)]).toEqual([]);
    expect(await fed(hook)).toEqual(types);
  });

  it("is reported again in its next failure period", async () => {
    const { hook, other } = await pair();
    for (const _period of [1, 2]) {
      failing.add(hookUrl);
      await notifier.consume([payoutMessage(hook)]);
      await workFor(failingMs);
      failing.clear();
      await workFor(failingMs);
    }
    expect(reportsTo(other).map(({ data }) => data.status)).toEqual([
      ...["failing", "recovered", "failing", "recovered"],
    ]);
  });

  it("is only in the feed if it alone subscribes, and nowhere if none does", async () => {
    const hook = await hookAt(hookUrl);
    await notifier.consume([payoutMessage(hook)]);
    await workFor(failingMs);
    expect(reportsTo(hook)).toEqual([]);
    expect(await fed(hook)).toEqual(["endpoint.failing"]);
    const unsubscribed = await hookAt(hookUrl, ["refund"]);
    await notifier.consume([payoutMessage(unsubscribed)]);
    await workFor(failingMs);
    expect(await fed(unsubscribed)).toEqual([]);
  });

  it("is reported under one id if the process ends before or after the event is stored", async () => {
    const { hook, other } = await pair();
    await notifier.consume([payoutMessage(hook)]);
    await workFor(600_000);
    const { publishOne } = notifier.fanOut;
    notifier.fanOut.publishOne = () => Promise.reject(new Error("ended before"));
    await expect(workFor(60_000)).rejects.toThrow("ended before");
    expect(await fed(hook)).toEqual([]);
    notifier.fanOut.publishOne = async (...event) => {
      await publishOne(...event);
      throw new Error("ended after");
    };
    notifier.advance(60_000);
    await expect(round()).rejects.toThrow("ended after");
    notifier.fanOut.publishOne = publishOne;
    // Another process continues.
    const beside = await startTestNotifier({ beside: notifier });
    await Promise.all([beside.failureReports.round(), round()]);
    await beside.close();
    await notifier.work();
    expect(reportsTo(other)).toHaveLength(1);
    expect(await fed(hook)).toEqual(["endpoint.failing"]);
  });

  it("and its other endpoint, which fails on the reports alone, report each other once", async () => {
    const { hook, other } = await pair();
    failing.add(other.url);
    await notifier.consume([payoutMessage({ merchantId: hook.merchantId })]);
    await workFor(20 * 3_600_000);
    expect(await fed(hook)).toEqual(["endpoint.failing", "endpoint.failing"]);
  });

  it("is not reported as recovered if it is deleted", async () => {
    const { hook, other } = await pair();
    await notifier.consume([payoutMessage(hook)]);
    await workFor(failingMs);
    const { merchantId, endpointId } = hook;
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    failing.clear();
    await workFor(failingMs);
    expect(reportsTo(other)).toHaveLength(1);
  });
});
