import { Code, ConnectError } from "@connectrpc/connect";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
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
  paying(() => ({ payoutId: `po_${ran.length}` }));
});

type Answer = { payoutId: string };
function paying(answer: () => Answer | Promise<Answer>) {
  gateway.fakes.payout.executePayout = ({ mutation }) => {
    ran.push(mutation?.operationId ?? "");
    return answer();
  };
}

function execute(idempotencyKey: string | undefined, more: Partial<Ask> = {}) {
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const body = '{"quote_id":"qt_1","reference_id":"r"}';
  return gateway.ask({ path: "/api/v1/transfer/execute", key, body, ...more, headers });
}
const outcome = async (reply: ReturnType<typeof execute>) => {
  const { status, json } = await reply;
  return json.code ?? (status === 200 ? json.data : status);
};
const first = { id: "po_1", message: "Transaction Queued" };

it("answers a repeat with the first answer, byte for byte, and does nothing", async () => {
  const [one, two] = [await execute("k"), await execute("k")];
  expect(one.headers["idempotent-replayed"]).toBeUndefined();
  expect(two.headers["idempotent-replayed"]).toBe("true");
  expect([one.status, two.status, two.text]).toEqual([200, 200, one.text]);
  expect(ran).toHaveLength(1);
  expect(
    await outcome(execute("k", { body: '{ "reference_id":"r", "quote_id":"qt_1" }' })),
  ).toEqual(first);
});

it("is stored whole while it runs, when it is left open, and with its answer", async () => {
  const { key: mine, merchantId } = await gateway.merchant();
  const keys = gateway.db.collection("idempotency_keys");
  const stored = () => keys.findOne({ merchant_id: merchantId });
  const started = new Date(gateway.time.nowMs);
  const ms = (more: number) => new Date(started.getTime() + more);
  let running = await stored();
  paying(async () => {
    running = await stored();
    throw new ConnectError("away", Code.Unavailable);
  });
  await execute("k", { key: mine });
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
  paying(async () => {
    again = await stored();
    return { payoutId: "po_1" };
  });
  await execute("k", { key: mine });
  const fence: unknown = again?.fence;
  expect(again).toEqual({
    ...{ ...running, fence },
    progress: { ...document.progress, lock_until: ms(31_000) },
  });
  expect(fence).not.toBe(running?.fence);
  const progress = { state: "done", sealed_answer: expect.any(String) };
  expect(await stored()).toEqual({ ...again, progress });
});

it.each([
  [
    "white space, member order and a byte-order mark",
    '\ufeff{ "reference_id":"Ré", "quote_id":"qt_1"}',
  ],
  ["blanks around a text", '{"quote_id":" qt_1\\n","reference_id":"Ré "}'],
  ["a text that is composed otherwise", '{"quote_id":"qt_1","reference_id":"Re\\u0301"}'],
])("answers a repeat that differs by %s", async (_what, body) => {
  const sent: string[] = [];
  gateway.fakes.payout.executePayout = ({ mutation, referenceId }) => {
    ran.push(mutation?.operationId ?? "");
    sent.push(referenceId);
    throw new ConnectError("away", Code.Unavailable);
  };
  const plain = '{"quote_id":"qt_1","reference_id":"Ré"}';
  expect((await execute("k", { body })).status).toBe(503);
  expect((await execute("k", { body: plain })).status).toBe(503);
  // The owning service compares what it gets, too: it has to be the same.
  expect(new Set(ran).size).toBe(1);
  expect(sent).toEqual(["Ré", "Ré"]);
  paying(() => ({ payoutId: "po_1" }));
  expect(await outcome(execute("k", { body }))).toEqual(first);
  expect((await execute("k", { body: plain })).headers["idempotent-replayed"]).toBe("true");
});

it("refuses a repeat with another field that is not known, or blanks in one", async () => {
  await execute("k", { body: '{"quote_id":"qt_1","own":"x"}' });
  for (const body of ['{"quote_id":"qt_1"}', '{"quote_id":"qt_1","own":" x"}']) {
    expect(await outcome(execute("k", { body }))).toBe("IDEMPOTENCY_KEY_REUSED");
  }
  expect(ran).toHaveLength(1);
});

it("refuses another body under the same key", async () => {
  await execute("k");
  const reply = await execute("k", { body: '{"quote_id":"qt_2"}' });
  expect([reply.status, reply.json.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  expect(ran).toHaveLength(1);
});

it("keeps keys of merchants and of operations apart", async () => {
  const other = await gateway.merchant();
  gateway.fakes.notifier.redeliver = ({ mutation }) => {
    ran.push(mutation?.operationId ?? "");
    return { delivery: {} };
  };
  await execute("k");
  await execute("k", { key: other.key });
  for (const id of ["whd_1", "whd_2"]) {
    await execute("k", { path: `/api/v1/webhooks/deliveries/${id}/redeliver` });
  }
  expect(new Set(ran).size).toBe(4);
});

it("has a new operation each time without a key", async () => {
  await execute(undefined);
  await execute(undefined);
  expect(new Set(ran).size).toBe(2);
});

it("refuses a second request while the first runs, however many there are", async () => {
  const held = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  paying(() => {
    reached.resolve();
    return held.promise;
  });
  const running = execute("k");
  await reached.promise;
  const others = await Promise.all([1, 2, 3].map(() => execute("k")));
  expect(others.map(({ status, json }) => [status, json.code])).toEqual(
    Array(3).fill([409, "IDEMPOTENCY_IN_PROGRESS"]),
  );
  held.resolve({ payoutId: "po_1" });
  expect(await outcome(running)).toEqual(first);
  expect(await outcome(execute("k"))).toEqual(first);
  expect(ran).toHaveLength(1);
});

it("lets one of many at once through", async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => execute("k")));
  expect(ran).toHaveLength(1);
  for (const { status, json } of replies) {
    expect(status === 409 || JSON.stringify(json.data) === JSON.stringify(first)).toBe(true);
  }
});

it("frees the key after a refusal", async () => {
  paying(() => {
    throw refusalError(publicRefusals, refused("INSUFFICIENT_BALANCE"));
  });
  expect(await outcome(execute("k"))).toBe("INSUFFICIENT_BALANCE");
  paying(() => ({ payoutId: "po_1" }));
  expect(await outcome(execute("k", { body: '{"quote_id":"qt_2"}' }))).toEqual(first);
  expect(ran).toHaveLength(2);
});

it.each([
  ["a bug", () => new Error("secret"), 500, "INTERNAL_ERROR"],
  ["an absence", () => new ConnectError("away", Code.Unavailable), 503, "SERVICE_UNAVAILABLE"],
  ["a timeout", () => new ConnectError("late", Code.DeadlineExceeded), 503, "SERVICE_UNAVAILABLE"],
])("runs again under the same operation after %s", async (_what, error, status, code) => {
  paying(() => {
    throw error();
  });
  const reply = await execute("k");
  expect([reply.status, reply.json.code]).toEqual([status, code]);
  expect(await outcome(execute("k", { body: "{}" }))).toBe("IDEMPOTENCY_KEY_REUSED");
  paying(() => ({ payoutId: "po_1" }));
  expect(await outcome(execute("k"))).toEqual(first);
  expect(ran).toHaveLength(2);
  expect(new Set(ran).size).toBe(1);
});

it("lets one of many at once try again after a 5xx", async () => {
  paying(() => {
    throw new ConnectError("away", Code.Unavailable);
  });
  await execute("k");
  const held = Promise.withResolvers<Answer>();
  paying(() => held.promise);
  let refusals = 0;
  const tries = Array.from({ length: 10 }, async () => {
    const { status } = await execute("k");
    if (status === 409) refusals += 1;
  });
  await expect.poll(() => refusals + ran.length).toBe(11);
  expect([refusals, ran.length]).toEqual([9, 2]);
  held.resolve({ payoutId: "po_1" });
  await Promise.all(tries);
});

it("after a crash refuses until the lock ends, then runs under the same operation", async () => {
  const crashed = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  paying(() => {
    reached.resolve();
    return crashed.promise;
  });
  const lost = execute("k");
  await reached.promise;
  gateway.time.nowMs += 29_999;
  expect(await outcome(execute("k"))).toBe("IDEMPOTENCY_IN_PROGRESS");
  gateway.time.nowMs += 1;
  paying(() => ({ payoutId: "po_1" }));
  expect(await outcome(execute("k"))).toEqual(first);
  expect(new Set(ran).size).toBe(1);
  // The one that was thought dead wakes up: its lock is lost, so its answer is not the kept one.
  crashed.resolve({ payoutId: "po_late" });
  await lost;
  expect(await outcome(execute("k"))).toEqual(first);
});

it("does not let a run that lost its key free or settle another's", async () => {
  const stalled = Promise.withResolvers<Answer>();
  const reached = Promise.withResolvers<void>();
  paying(() => {
    reached.resolve();
    return stalled.promise;
  });
  const stale = execute("k");
  await reached.promise;
  gateway.time.nowMs += 30_000;
  paying(() => {
    throw refusalError(publicRefusals, refused("QUOTE_EXPIRED"));
  });
  expect(await outcome(execute("k"))).toBe("QUOTE_EXPIRED");
  paying(() => ({ payoutId: "po_new" }));
  await execute("k", { body: '{"quote_id":"qt_new"}' });
  stalled.resolve({ payoutId: "po_stale" });
  await stale;
  const kept = await execute("k", { body: '{"quote_id":"qt_new"}' });
  expect(kept.json.data).toMatchObject({ id: "po_new" });
});

it("ends the run of a key by its key and its run, not by one of them", async () => {
  const sealer = createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`);
  const clock = { now: () => new Date(gateway.time.nowMs) };
  const store = openIdempotencyStore(gateway.db, { sealer, clock, place: "here:8080" });
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
    expect(await run(each)).toEqual(refused("IDEMPOTENCY_IN_PROGRESS"));
  }
  await end(store, one.claim, answer);
  expect(await run("one")).toEqual({ replay: answer });
});

it("forgets a key after 30 days", async () => {
  await execute("k");
  gateway.time.nowMs += 30 * 24 * 60 * 60 * 1_000 - 1;
  await gateway.gateway.sweep();
  expect(await outcome(execute("k", { body: "{}" }))).toBe("IDEMPOTENCY_KEY_REUSED");
  gateway.time.nowMs += 1;
  expect(await outcome(execute("k", { body: '{"quote_id":"qt_2"}' }))).toMatchObject({
    id: "po_2",
  });
  gateway.time.nowMs += 30 * 24 * 60 * 60 * 1_000;
  await gateway.gateway.sweep();
  expect(await gateway.db.collection("idempotency_keys").countDocuments()).toBe(0);
});

it("stores neither the key nor the answer in clear", async () => {
  await execute("order of Jane Doe");
  const stored = await gateway.db.collection("idempotency_keys").find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toMatch(/Jane|po_1|qt_1/);
});

it.each(["", "x".repeat(256), "a\u00e9"])("refuses the key %j", async (text) => {
  const reply = await execute(text);
  expect([reply.status, reply.json.code]).toEqual([400, "INVALID_REQUEST"]);
  expect(reply.json.message).toContain("Idempotency-Key");
  expect(ran).toEqual([]);
});
