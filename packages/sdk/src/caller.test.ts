import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { type ApiRequest, type CallOptions, createCaller } from "./caller.ts";
import { type ClientOptions, clientSettings } from "./client-options.ts";
import { DisburseError, isDisburseError } from "./disburse-error.ts";
import { data, type Reply, refusal, scripted } from "./test-platform.ts";
import type { Time } from "./time.ts";

const get: ApiRequest = { method: "GET", path: "/api/v1/transfer/payouts/po_1" };
const post: ApiRequest = {
  method: "POST",
  path: "/api/v1/transfer/execute",
  body: { s3cr3t: "b" },
};
const remove: ApiRequest = { method: "DELETE", path: "/api/v1/webhooks/endpoints/whe_1" };

/** A clock that waits advance at once. */
function virtualTime(random = 0.5) {
  const waits: number[] = [];
  let now = 1_000;
  const time: Time = {
    now: () => now,
    random: () => random,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
  };
  return { time, waits };
}

function calling(
  replies: readonly (Reply | (() => Reply))[],
  options: Partial<ClientOptions> = {},
) {
  const script = scripted(replies);
  const { time, waits } = virtualTime();
  const caller = createCaller(clientSettings({ ...script.options, ...options }), time);
  const send = (request: ApiRequest, its: CallOptions = {}) => caller.send<unknown>(request, its);
  return { send, sent: script.sent, waits };
}

async function failureOf(sending: Promise<unknown>): Promise<DisburseError> {
  const failure = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DisburseError);
  return failure as DisburseError;
}

const page = () => new Response("<html>s3cr3t</html>", { status: 502 });
const broken = () => new TypeError("fetch failed");
const again = () => refusal(503, "SERVICE_UNAVAILABLE");

describe("retries after", () => {
  test.each<[string, () => Reply]>([
    ["a connection that fails", broken],
    ["429", () => refusal(429, "RATE_LIMITED")],
    ["500", () => refusal(500, "INTERNAL_ERROR")],
    ["502 of a proxy", page],
    ["503", again],
    ["504 of a proxy", () => new Response("", { status: 504 })],
    ["409 of a beneficiary still screened", () => refusal(409, "BENEFICIARY_NOT_READY")],
    ["409 of a request under way", () => refusal(409, "IDEMPOTENCY_IN_PROGRESS")],
  ])("%s", async (_, reply) => {
    for (const request of [get, post, remove]) {
      const { send, sent } = calling([reply(), data('"done"')]);
      expect(await send(request)).toBe("done");
      expect(sent).toHaveLength(2);
    }
  });
});

describe("does not retry after", () => {
  test.each<[string, Reply]>([
    ["400", refusal(400, "INVALID_REQUEST")],
    ["401", refusal(401, "UNAUTHENTICATED")],
    ["403", refusal(403, "ACCESS_FORBIDDEN")],
    ["404", refusal(404, "RECORD_NOT_FOUND")],
    ["408", refusal(408, "REQUEST_TIMEOUT")],
    ["409 of another kind", refusal(409, "SOMETHING_NEW")],
    ["422", refusal(422, "IDEMPOTENCY_KEY_REUSED")],
    ["501", refusal(501, "NOT_IMPLEMENTED")],
    ["a page with status 200", new Response("<html>")],
    ["a redirect", new Response("", { status: 307, headers: { location: "https://x.example" } })],
  ])("%s", async (_, reply) => {
    const { send, sent, waits } = calling([reply]);
    await failureOf(send(post));
    expect(sent).toHaveLength(1);
    expect(waits).toEqual([]);
  });
});

describe("retries", () => {
  test("keep idempotency key, request id and body", async () => {
    const { send, sent } = calling([again(), broken(), data("1")]);
    await send(post);
    const [first, ...others] = sent;
    for (const other of others) {
      expect(Object.fromEntries(other.headers)).toEqual(Object.fromEntries(first?.headers ?? []));
      expect(other.body).toBe(first?.body);
    }
    expect(others).toHaveLength(2);
  });

  test("two calls have different keys", async () => {
    const { send, sent } = calling([data("1"), data("1")]);
    await send(post);
    await send(post);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(2);
  });

  test("keep the key of a PATCH too", async () => {
    const { send, sent } = calling([again(), data("1")]);
    await send({ method: "PATCH", path: "/api/v1/webhooks/endpoints/whe_1", body: {} });
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([expect.any(String), keys[0]]);
  });

  test("use the caller's own key and request id", async () => {
    const { send, sent } = calling([again(), data("1")]);
    await send(post, { idempotencyKey: "order 7", requestId: "checkout-7" });
    for (const { headers } of sent) {
      expect(headers.get("idempotency-key")).toBe("order 7");
      expect(headers.get("x-request-id")).toBe("checkout-7");
    }
  });

  test("end after retriesMax with the last error", async () => {
    const { send, sent } = calling([again(), again(), refusal(500, "INTERNAL_ERROR")], {
      retriesMax: 2,
    });
    expect((await failureOf(send(get))).code).toBe("INTERNAL_ERROR");
    expect(sent).toHaveLength(3);
  });

  test("continue while a crash locks the key for 30 s, regardless of retriesMax", async () => {
    const held = Array.from({ length: 11 }, () => refusal(409, "IDEMPOTENCY_IN_PROGRESS"));
    const { send, waits } = calling([broken(), ...held, data('"done"')], { retriesMax: 1 });
    expect(await send(post)).toBe("done");
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(30_000);
  });

  test("wait for a running request only within the call's time limit", async () => {
    const held = Array.from({ length: 5 }, () => refusal(409, "IDEMPOTENCY_IN_PROGRESS"));
    const { send, sent } = calling(held, { retriesMax: 1 });
    const failure = await failureOf(send(post, { timeoutMs: 3_000 }));
    expect(failure.code).toBe("IDEMPOTENCY_IN_PROGRESS");
    expect(sent).toHaveLength(5);
  });

  test("don't happen with retriesMax 0, even for a running request", async () => {
    const held = refusal(409, "IDEMPOTENCY_IN_PROGRESS");
    const { send, sent } = calling([held], { retriesMax: 0 });
    await failureOf(send(post));
    expect(sent).toHaveLength(1);
  });

  test("back off exponentially with jitter, at most 8 s", async () => {
    const { send, waits } = calling([...Array.from({ length: 8 }, again), data("1")], {
      retriesMax: 8,
    });
    await send(get);
    expect(waits).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  test("wait for Retry-After plus jitter", async () => {
    const { send, waits } = calling([
      refusal(429, "RATE_LIMITED", { "retry-after": "7" }),
      data("1"),
    ]);
    await send(get);
    expect(waits).toEqual([7_125]);
  });

  test("don't wait beyond the call's time limit", async () => {
    const { send, sent, waits } = calling([
      refusal(503, "SERVICE_UNAVAILABLE", { "retry-after": "5" }),
    ]);
    const failure = await failureOf(send(get, { timeoutMs: 5_000 }));
    expect(failure.retryAfterSeconds).toBe(5);
    expect(sent).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test("ignore a date in Retry-After", async () => {
    const date = { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" };
    const { send, waits } = calling([refusal(503, "SERVICE_UNAVAILABLE", date), data("1")]);
    await send(get);
    expect(waits).toEqual([125]);
  });
});

describe("errors", () => {
  test("have the platform's code and message", async () => {
    const { send } = calling([
      refusal(422, "IDEMPOTENCY_KEY_REUSED", { "x-request-id": "r-1", "retry-after": "3" }),
    ]);
    const failure = await failureOf(send(post, { idempotencyKey: "k" }));
    expect(failure).toMatchObject({
      name: "DisburseError",
      kind: "refused",
      code: "IDEMPOTENCY_KEY_REUSED",
      message: "refused: IDEMPOTENCY_KEY_REUSED",
      status: 422,
      requestId: "r-1",
      retryAfterSeconds: 3,
      idempotencyKey: "k",
    });
    expect(failure).toMatchObject({ violations: [], reason: undefined });
    expect(isDisburseError(failure)).toBe(true);
    expect(isDisburseError(new Error("x"))).toBe(false);
    expect(isDisburseError(null)).toBe(false);
  });

  test("have invalid fields and the reason", async () => {
    const url = { field: "url", rule: "required", message: "is required" };
    const body = {
      ...{ code: "INVALID_REQUEST", message: "url: is required", reason: "scope_missing" },
      violations: [url, { field: 1 }, "x"],
    };
    const answer = () => new Response(JSON.stringify(body), { status: 400 });
    const failure = await failureOf(calling([answer]).send(get));
    expect(failure).toMatchObject({ violations: [url], reason: "scope_missing" });
    expect(failure.payoutId).toBeUndefined();
  });

  test("have the earlier payout of a possible duplicate, without retries", async () => {
    const body = { code: "POSSIBLE_DUPLICATE", message: "the same", payout_id: "po_1" };
    const answer = () => new Response(JSON.stringify(body), { status: 409 });
    const { send, sent } = calling([answer]);
    const failure = await failureOf(send(get));
    expect(failure).toMatchObject({ code: "POSSIBLE_DUPLICATE", payoutId: "po_1" });
    expect(sent).toHaveLength(1);
  });

  test.each<[string, () => Response | Error, boolean]>([
    ["a refusal", () => refusal(400, "INSUFFICIENT_BALANCE"), false],
    ["a rate limit", () => refusal(429, "RATE_LIMITED"), false],
    ["another try that is under way", () => refusal(409, "IDEMPOTENCY_IN_PROGRESS"), true],
    ["a failure inside", () => refusal(500, "INTERNAL_ERROR"), true],
    ["a deadline that ran out inside", () => refusal(503, "SERVICE_UNAVAILABLE"), true],
    ["a connection", broken, true],
    ["a page of a proxy", page, true],
  ])("have mayHaveHappened: %s", async (_, reply, mayHaveHappened) => {
    const { send } = calling([reply() as Reply], { retriesMax: 0 });
    expect((await failureOf(send(post))).mayHaveHappened).toBe(mayHaveHappened);
  });

  test("are recognised by another copy of the package", async () => {
    const { send } = calling([refusal(404, "RECORD_NOT_FOUND")]);
    const failure = await failureOf(send(get));
    const another = ["./disburse-error.ts", "copy"].join("?");
    const copy: typeof import("./disburse-error.ts") = await import(another);
    expect(failure).not.toBeInstanceOf(copy.DisburseError);
    expect(copy.isDisburseError(failure)).toBe(true);
  });

  test("of a connection have request id, key and cause", async () => {
    const cause = broken();
    const { send } = calling([cause], { retriesMax: 0 });
    const failure = await failureOf(send(post, { requestId: "r-2", idempotencyKey: "k" }));
    expect(failure).toMatchObject({ kind: "connection", code: "CONNECTION_FAILED", cause });
    expect(failure).toMatchObject({ status: undefined, requestId: "r-2", idempotencyKey: "k" });
  });

  test.each<[string, () => Response]>([
    ["a page", () => new Response("<html>s3cr3t</html>")],
    ["no text", () => new Response("")],
    ["no content", () => new Response(null, { status: 204 })],
    ["data with another status", () => new Response('{"data":"s3cr3t"}', { status: 201 })],
    ["data with a failure", () => new Response('{"data":"s3cr3t"}', { status: 400 })],
    ["JSON without data", () => new Response('{"s3cr3t":1}')],
    ["JSON that is no object", () => new Response('["data"]')],
    ["JSON cut off", () => new Response('{"data":{"s3cr3t":"')],
    ["JSON nested beyond any stack", () => new Response('{"data":'.repeat(200_000))],
    ["a refusal without code", () => new Response('{"message":"s3cr3t"}', { status: 400 })],
  ])("for a foreign response have no other details: %s", async (_, reply) => {
    const { send } = calling([reply()]);
    const failure = await failureOf(send(post));
    expect(failure).toMatchObject({ kind: "answer", code: "UNEXPECTED_ANSWER" });
    expect(inspect(failure)).not.toContain("s3cr3t");
  });

  test("contain neither key nor body", async () => {
    for (const reply of [refusal(400, "INVALID_REQUEST"), broken()]) {
      const { send } = calling([reply], { retriesMax: 0 });
      const text = inspect(await failureOf(send(post)), { depth: 9, showHidden: true });
      expect(text).not.toContain("dsb_test_key");
      expect(text).not.toContain("s3cr3t");
    }
  });
});

describe("options of a call", () => {
  test.each<[string, CallOptions]>([
    ["an empty key", { idempotencyKey: "" }],
    ["a key that is too long", { idempotencyKey: "k".repeat(256) }],
    ["a key beyond ASCII", { idempotencyKey: "schlüssel" }],
    ["a key that is null", { idempotencyKey: null as never }],
    ["a key that is a number", { idempotencyKey: 7 as never }],
    ["a request id with a line break", { requestId: "a\nb" }],
    ["a request id that is null", { requestId: null as never }],
    ["no time", { timeoutMs: 0 }],
  ])("rejects %s before sending anything", async (_, options) => {
    const { send, sent } = calling([]);
    await expect(send(post, options)).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  test("an aborted signal ends the call before anything is sent", async () => {
    const { send, sent } = calling([]);
    const reason = new Error("closing");
    await expect(send(get, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  test("a signal aborted between attempts ends the call", async () => {
    const aborting = new AbortController();
    const reason = new Error("closing");
    const reply = () => {
      aborting.abort(reason);
      return broken();
    };
    const { send, sent } = calling([reply]);
    await expect(send(get, { signal: aborting.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });
});
