import { Code, ConnectError } from "@connectrpc/connect";
import { orThrow, publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

/**
 * Tests keys that the owning services bind to the body: two gateways on one database, one service.
 */

let first: TestGateway;
let second: TestGateway;
let key: string;
let merchantId: string;
/** Calls that the service received. */
let calls: { operationId: string; fingerprint: string; referenceId: string }[] = [];
/** The bound body of each operation, and the payout that was created from it. */
let bound = new Map<string, { fingerprint: string; payoutId: string }>();
/** Called before the service does anything. */
let before: () => unknown = () => undefined;
/** Called for each write of keys at the second gateway. */
let fault: (write: () => Promise<unknown>) => Promise<unknown> = (write) => write();

beforeAll(async () => {
  first = await startTestGateway();
  const clock = { now: () => new Date(first.time.nowMs) };
  const collection = (name: string) => {
    const real = first.db.collection(name);
    if (name !== "idempotency_keys") return real;
    return intercepted(real, ["insertOne"], (write) => fault(write as () => Promise<unknown>));
  };
  const db = Object.assign(Object.create(first.db), { collection });
  second = await startTestGateway({ db, clock, place: "second:8080" });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});
beforeEach(async () => {
  ({ key, merchantId } = await first.merchant());
  calls = [];
  bound = new Map();
  before = () => undefined;
  fault = (write) => write();
  for (const { fakes } of [first, second]) {
    fakes.payout.executePayout = async ({ mutation, referenceId }) => {
      const { operationId = "", fingerprint = "" } = mutation ?? {};
      calls.push({ operationId, fingerprint, referenceId });
      await before();
      const known = bound.get(operationId);
      if (known !== undefined && known.fingerprint !== fingerprint) return orThrow(otherContent);
      const result = known ?? { fingerprint, payoutId: `po_${bound.size + 1}` };
      bound.set(operationId, result);
      return { payoutId: result.payoutId };
    };
  }
});

const plain = '{"quote_id":"qt_1","reference_id":"Ré"}';
const execute = (gateway = first, body = plain) =>
  gateway.ask({
    path: "/api/v1/transfer/execute",
    key,
    body,
    headers: { "idempotency-key": "k" },
  });
const outcome = async (reply: ReturnType<typeof execute>) => {
  const { status, json, headers } = await reply;
  const { id } = (json.data ?? {}) as { id?: string };
  return [status, json.code ?? id, headers["idempotent-replayed"]];
};
const stored = () =>
  first.db.collection("idempotency_keys").find({ merchant_id: merchantId }).toArray();

it("costs one write, after the run: the answer", async () => {
  const ran: unknown[] = [];
  before = async () => ran.push(await stored());
  const { text } = await execute();
  expect(ran).toEqual([[]]);
  const at = new Date(first.time.nowMs);
  expect(await stored()).toEqual([
    {
      _id: expect.any(String),
      schema_version: 1,
      merchant_id: merchantId,
      fingerprint: calls[0]?.fingerprint,
      fence: expect.any(String),
      progress: { state: "done", sealed_answer: expect.any(String) },
      created_at: at,
      expires_at: new Date(at.getTime() + 30 * 86_400_000),
    },
  ]);
  expect(text).toContain("po_1");
});

it.each([
  ["as it was", plain],
  ["in other white space and order", '\ufeff{ "reference_id":"Ré", "quote_id":"qt_1"}'],
  ["with blanks around its texts", '{"quote_id":" qt_1\\n","reference_id":"Ré "}'],
  ["composed otherwise", '{"quote_id":"qt_1","reference_id":"Re\\u0301"}'],
])("replays the first answer to a body %s, byte for byte", async (_what, body) => {
  const { text } = await execute();
  for (const gateway of [first, second]) {
    const again = await execute(gateway, body);
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([text, "true"]);
  }
  expect(bound.size).toBe(1);
  expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1);
});

it.each(['{"quote_id":"qt_2"}', '{"quote_id":"qt_1","reference_id":"Ré","own":"x"}'])(
  "refuses another body: %s",
  async (body) => {
    await execute();
    for (const gateway of [first, second]) {
      expect(await outcome(execute(gateway, body))).toEqual([
        ...[422, "IDEMPOTENCY_KEY_REUSED", undefined],
      ]);
    }
    expect(bound.size).toBe(1);
  },
);

describe("during the run", () => {
  const running = async () => {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    before = () => {
      reached.resolve();
      return held.promise;
    };
    const reply = execute();
    await reached.promise;
    before = () => undefined;
    return { reply, goOn: held.resolve };
  };

  it("the same gateway refuses a repeat, and another body", async () => {
    const { reply, goOn } = await running();
    expect((await outcome(execute()))[1]).toBe("IDEMPOTENCY_IN_PROGRESS");
    expect((await outcome(execute(first, '{"quote_id":"qt_2"}')))[1]).toBe(
      "IDEMPOTENCY_KEY_REUSED",
    );
    goOn();
    expect(await outcome(reply)).toEqual([200, "po_1", undefined]);
    expect(calls).toHaveLength(1);
  });

  it("another gateway serves a repeat, and both send the first stored response", async () => {
    const { reply, goOn } = await running();
    const other = await execute(second);
    expect(other.headers["idempotent-replayed"]).toBeUndefined();
    goOn();
    const late = await reply;
    expect([late.text, late.headers["idempotent-replayed"]]).toEqual([other.text, "true"]);
    expect(bound.size).toBe(1);
  });

  it("another gateway refuses another body, or the run is refused", async () => {
    const { reply, goOn } = await running();
    const other = await outcome(execute(second, '{"quote_id":"qt_2"}'));
    goOn();
    expect([other, (await outcome(reply))[1]]).toEqual([
      [200, "po_1", undefined],
      "IDEMPOTENCY_KEY_REUSED",
    ]);
    expect(bound.size).toBe(1);
  });
});

it("is free after a refusal", async () => {
  before = () => {
    throw refusalError(publicRefusals, refused("INSUFFICIENT_BALANCE"));
  };
  expect((await outcome(execute()))[1]).toBe("INSUFFICIENT_BALANCE");
  expect(await stored()).toEqual([]);
  before = () => undefined;
  expect(await outcome(execute(second, '{"quote_id":"qt_2"}'))).toEqual([200, "po_1", undefined]);
});

it.each([
  ["a bug", () => new Error("secret"), 500],
  ["an absence", () => new ConnectError("away", Code.Unavailable), 503],
])(
  "is tried again after %s, and replays what was answered before it",
  async (_what, error, status) => {
    const failing = () => {
      throw error();
    };
    before = failing;
    expect((await execute()).status).toBe(status);
    before = () => undefined;
    expect(await outcome(execute(second))).toEqual([200, "po_1", undefined]);
    before = failing;
    expect(await outcome(execute())).toEqual([200, "po_1", "true"]);
    expect((await outcome(execute(first, '{"quote_id":"qt_2"}')))[1]).toBe(
      "IDEMPOTENCY_KEY_REUSED",
    );
  },
);

it.each([
  ["before", (_write: () => Promise<unknown>) => Promise.reject(new Error("cut"))],
  [
    "after",
    (write: () => Promise<unknown>) => write().then(() => Promise.reject(new Error("cut"))),
  ],
])("an answer whose write was cut %s it was done is given again", async (_when, how) => {
  fault = how;
  const lost = await execute(second);
  expect(lost.status).toBe(200);
  fault = (write) => write();
  const again = await execute(first);
  expect([again.status, again.text]).toEqual([200, lost.text]);
  expect(bound.size).toBe(1);
});

it("replaces the response of a key that has expired after 30 days", async () => {
  await execute();
  const [old] = await stored();
  first.time.nowMs += 30 * 86_400_000;
  expect(await outcome(execute())).toEqual([200, "po_1", undefined]);
  const [fresh] = await stored();
  expect(fresh?.fence).not.toBe(old?.fence);
  expect(await outcome(execute())).toEqual([200, "po_1", "true"]);
});
