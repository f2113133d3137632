import { Code, ConnectError } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Ask, startTestGateway, type TestGateway } from "../test-gateway.ts";
import { begin, end, openIdempotencyStore } from "./store.ts";

let gateway: TestGateway;
let key: string;
/** Operation ids of the executions that reached the payout service. */
let ran: string[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  key = (await gateway.merchant()).key;
  ran = [];
  answering(() => ({ id: `whd_${ran.length}` }));
});

type Answer = { id: string };
function answering(answer: () => Answer | Promise<Answer>) {
  gateway.fakes.notifier.redeliver = async ({ mutation }) => {
    ran.push(mutation?.operationId ?? "");
    return { delivery: await answer() };
  };
}

/** Sends a request whose key the gateway claims. */
function redeliver(idempotencyKey: string | undefined, more: Partial<Ask> = {}) {
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const path = "/api/v1/webhooks/deliveries/whd_1/redeliver";
  return gateway.ask({ path, key, body: '{"note":"qt_1","more":"r"}', ...more, headers });
}
const outcome = async (reply: ReturnType<typeof redeliver>) => {
  const { status, json } = await reply;
  return json.code ?? (status === 200 ? json.data : status);
};
const first = expect.objectContaining({ id: "whd_1" });

it("answers a repeat with the first answer, byte for byte, and does nothing", async () => {
  const [one, two] = [await redeliver("k"), await redeliver("k")];
  expect(one.headers["idempotent-replayed"]).toBeUndefined();
  expect(two.headers["idempotent-replayed"]).toBe("true");
  expect([one.status, two.status, two.text]).toEqual([200, 200, one.text]);
  expect(ran).toHaveLength(1);
  expect(await outcome(redeliver("k", { body: '{ "more":"r", "note":"qt_1" }' }))).toEqual(first);
});

it("is stored whole while it runs, when it is left open, and with its answer", async () => {
  const { key: mine, merchantId } = await gateway.merchant();
  const keys = gateway.db.collection("idempotency_keys");
  const stored = () => keys.findOne({ merchant_id: merchantId });
  const started = new Date(gateway.time.nowMs);
  const ms = (more: number) => new Date(started.getTime() + more);
  let running = await stored();
  answering(async () => {
    running = await stored();
    throw new ConnectError("away", Code.Unavailable);
  });
  await redeliver("k", { key: mine });
  const document = {
    ...{ _id: expect.any(String), schema_version: 1, merchant_id: merchantId },
    ...{ fingerprint: expect.stringMatching(/./), fence: expect.stringMatching(/./) },
    progress: { state: "running", lock_until: ms(30_000), place: expect.any(String) },
    ...{ created_at: started, expires_at: ms(30 * 86_400_000) },
  };
  expect(running).toEqual(document);
  expect(await stored()).toEqual({ ...running, progress: { state: "open" } });
  gateway.time.nowMs += 1_000;
  let again = running;
  answering(async () => {
    again = await stored();
    return { id: "whd_1" };
  });
  await redeliver("k", { key: mine });
  const fence: unknown = again?.fence;
  expect(again).toEqual({
    ...{ ...running, fence },
    progress: { ...document.progress, lock_until: ms(31_000) },
  });
  expect(fence).not.toBe(running?.fence);
  const progress = { state: "done", sealed_answer: expect.any(String) };
  expect(await stored()).toEqual({ ...again, progress });
});

it("refuses a repeat with another field that is not known, or blanks in one", async () => {
  await redeliver("k", { body: '{"note":"qt_1","own":"x"}' });
  for (const body of ['{"note":"qt_1"}', '{"note":"qt_1","own":" x"}']) {
    expect(await outcome(redeliver("k", { body }))).toBe("IDEMPOTENCY_KEY_REUSED");
  }
  expect(ran).toHaveLength(1);
});

it("refuses another body under the same key", async () => {
  await redeliver("k");
  const reply = await redeliver("k", { body: '{"note":"qt_2"}' });
  expect([reply.status, reply.json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  expect(ran).toHaveLength(1);
});

it("keeps keys of merchants and of operations apart", async () => {
  const other = await gateway.merchant();
  await redeliver("k");
  await redeliver("k", { key: other.key });
  for (const id of ["whd_3", "whd_4"]) {
    await redeliver("k", { path: `/api/v1/webhooks/deliveries/${id}/redeliver` });
  }
  expect(new Set(ran).size).toBe(4);
});

it("has a new operation each time without a key", async () => {
  await redeliver(undefined);
  await redeliver(undefined);
  expect(new Set(ran).size).toBe(2);
});

it("refuses a second request while the first runs, however many there are", async () => {
  const held = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  answering(() => {
    reached.resolve();
    return held.promise;
  });
  const running = redeliver("k");
  await reached.promise;
  const others = await Promise.all([1, 2, 3].map(() => redeliver("k")));
  expect(others.map(({ status, json }) => [status, json.code])).toEqual(
    Array(3).fill([409, "IDEMPOTENCY_IN_PROGRESS"]),
  );
  held.resolve({ id: "whd_1" });
  expect(await outcome(running)).toEqual(first);
  expect(await outcome(redeliver("k"))).toEqual(first);
  expect(ran).toHaveLength(1);
});

it("lets one of many at once through", async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => redeliver("k")));
  expect(ran).toHaveLength(1);
  for (const { status, json } of replies) {
    expect(status === 409 || JSON.stringify(json.data).includes('"whd_1"')).toBe(true);
  }
});

it("frees the key after a refusal", async () => {
  answering(() => {
    throw refusalError(publicRefusals, refused("INSUFFICIENT_BALANCE"));
  });
  expect(await outcome(redeliver("k"))).toBe("INSUFFICIENT_BALANCE");
  answering(() => ({ id: "whd_1" }));
  expect(await outcome(redeliver("k", { body: '{"note":"qt_2"}' }))).toEqual(first);
  expect(ran).toHaveLength(2);
});

it.each([
  ["a bug", () => new Error("secret"), 500, "INTERNAL_ERROR"],
  ["an absence", () => new ConnectError("away", Code.Unavailable), 503, "SERVICE_UNAVAILABLE"],
  ["a timeout", () => new ConnectError("late", Code.DeadlineExceeded), 503, "SERVICE_UNAVAILABLE"],
])("runs again under the same operation after %s", async (_what, error, status, code) => {
  answering(() => {
    throw error();
  });
  const reply = await redeliver("k");
  expect([reply.status, reply.json.code]).toEqual([status, code]);
  expect(await outcome(redeliver("k", { body: "{}" }))).toBe("IDEMPOTENCY_KEY_REUSED");
  answering(() => ({ id: "whd_1" }));
  expect(await outcome(redeliver("k"))).toEqual(first);
  expect(ran).toHaveLength(2);
  expect(new Set(ran).size).toBe(1);
});

it("lets one of many at once try again after a 5xx", async () => {
  answering(() => {
    throw new ConnectError("away", Code.Unavailable);
  });
  await redeliver("k");
  const held = Promise.withResolvers<Answer>();
  answering(() => held.promise);
  let refusals = 0;
  const tries = Array.from({ length: 10 }, async () => {
    const { status } = await redeliver("k");
    if (status === 409) refusals += 1;
  });
  await expect.poll(() => refusals + ran.length).toBe(11);
  expect([refusals, ran.length]).toEqual([9, 2]);
  held.resolve({ id: "whd_1" });
  await Promise.all(tries);
});

it("after a crash refuses until the lock ends, then runs under the same operation", async () => {
  const crashed = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  answering(() => {
    reached.resolve();
    return crashed.promise;
  });
  const lost = redeliver("k");
  await reached.promise;
  gateway.time.nowMs += 29_999;
  expect(await outcome(redeliver("k"))).toBe("IDEMPOTENCY_IN_PROGRESS");
  gateway.time.nowMs += 1;
  answering(() => ({ id: "whd_1" }));
  expect(await outcome(redeliver("k"))).toEqual(first);
  expect(new Set(ran).size).toBe(1);
  // The presumed dead run wakes up. Its lock is lost, so its response is not stored.
  crashed.resolve({ id: "whd_late" });
  await lost;
  expect(await outcome(redeliver("k"))).toEqual(first);
});

it("does not let a run that lost its key free or settle another's", async () => {
  const stalled = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  answering(() => {
    reached.resolve();
    return stalled.promise;
  });
  const stale = redeliver("k");
  await reached.promise;
  gateway.time.nowMs += 30_000;
  answering(() => {
    throw refusalError(publicRefusals, refused("QUOTE_EXPIRED"));
  });
  expect(await outcome(redeliver("k"))).toBe("QUOTE_EXPIRED");
  answering(() => ({ id: "whd_new" }));
  await redeliver("k", { body: '{"note":"qt_new"}' });
  stalled.resolve({ id: "whd_stale" });
  await stale;
  const kept = await redeliver("k", { body: '{"note":"qt_new"}' });
  expect(kept.json.data).toMatchObject({ id: "whd_new" });
});

it("ends the run of a key by its key and its run, not by one of them", async () => {
  const sealer = createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
  const clock = { now: () => new Date(gateway.time.nowMs) };
  const store = openIdempotencyStore(gateway.db, {
    sealer,
    clock,
    place: "here:8080",
    log: silentLog,
  });
  const run = (idempotencyKey: string) => {
    const scope = { merchantId: "mer_ends", method: "POST", path: "/", key: idempotencyKey };
    return begin(store, scope, "fingerprint");
  };
  const [one, other] = [await run("one"), await run("other")];
  if (!("claim" in one && "claim" in other)) throw new Error("no claim");
  const answer = { status: 200, headers: {}, body: "{}" };
  const mixed = { ...one.claim, id: other.claim.id };
  for (const status of [200, 400, 500]) await end(store, mixed, { ...answer, status });
  for (const each of ["one", "other"]) {
    expect(await run(each)).toMatchObject(refused("IDEMPOTENCY_IN_PROGRESS"));
  }
  await end(store, one.claim, answer);
  expect(await run("one")).toEqual({ replay: answer });
});

it("forgets a key after 30 days", async () => {
  await redeliver("k");
  gateway.time.nowMs += 30 * 24 * 60 * 60 * 1_000 - 1;
  await gateway.gateway.sweep();
  expect(await outcome(redeliver("k", { body: "{}" }))).toBe("IDEMPOTENCY_KEY_REUSED");
  gateway.time.nowMs += 1;
  expect(await outcome(redeliver("k", { body: '{"note":"qt_2"}' }))).toMatchObject({
    id: "whd_2",
  });
  gateway.time.nowMs += 30 * 24 * 60 * 60 * 1_000;
  await gateway.gateway.sweep();
  expect(await gateway.db.collection("idempotency_keys").countDocuments()).toBe(0);
});

it("stores neither the key nor the answer in clear", async () => {
  await redeliver("order of Jane Doe");
  const stored = await gateway.db.collection("idempotency_keys").find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toMatch(/Jane|whd_1|qt_1/);
});

it.each(["", "x".repeat(256), "a\u00e9"])("refuses the key %j", async (text) => {
  const reply = await redeliver(text);
  expect([reply.status, reply.json.code]).toEqual([400, "INVALID_REQUEST"]);
  expect(reply.json.message).toContain("Idempotency-Key");
  expect(ran).toEqual([]);
});
