import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { id, times } from "./wire.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ LOG_LEVEL: "debug" });
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});
afterAll(() => platform?.stop());

const usd = { source_amount: "10.00" };
const hook = { url: "http://127.0.0.1:9/hook" };
const keyed = (key: string) => ({ "idempotency-key": key });
const newKey = () => keyed(crypto.randomUUID());

/** Returns the answer to a repeated request, which omits an endpoint's secrets. */
function asRepeated({ data }: { data: object }) {
  const names = ["secret", "standard_secret"];
  if (!("secret" in data)) return { data };
  const blank = Object.fromEntries(names.map((name) => [name, ""]));
  return { data: { ...data, ...blank, shown_once: names } };
}

/** Returns a body for each operation that creates something. */
const creations: [string, string, () => Promise<object>][] = [
  ["a crypto beneficiary", paths.crypto, async () => cryptoBody()],
  ["a fiat beneficiary", paths.fiat, async () => bankBody()],
  ["a depositor", paths.depositor, async () => depositorBody("corporate")],
  ["a quote", paths.rfq, async () => ({ ...usd, ...(await acme.transfer("USD", "USD")) })],
  ["a payout", paths.execute, async () => ({ quote_id: (await acme.quote("USD", "USD", usd)).id })],
  ["an endpoint", paths.endpoints, async () => hook],
];

describe("an idempotency key", () => {
  it.each(creations)("makes %s once", async (_what, path, make) => {
    const body = await make();
    const headers = newKey();
    const first = await acme.post(path, body, headers);
    expect([first.status, first.headers.get("idempotent-replayed")], first.text).toEqual([
      200,
      null,
    ]);
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2);
    for (const again of [body, reordered]) {
      const replayed = await acme.post(path, again, headers);
      expect([replayed.status, replayed.json]).toEqual([200, asRepeated(first.json)]);
      expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    }
    const other = await acme.post(path, { ...body, note: "other" }, headers);
    expect([other.status, other.json]).toEqual([
      422,
      {
        code: "IDEMPOTENCY_KEY_REUSED",
        message: "This idempotency key was used before with another body.",
      },
    ]);
    const another = await acme.post(path, await make(), newKey());
    expect(another.status).toBe(200);
    expect(another.text).not.toBe(first.text);
  });

  it.each(creations)("makes %s once for twelve callers at a time", async (_what, path, make) => {
    const [body, headers] = [await make(), newKey()];
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => acme.post(path, body, headers)),
    );
    const created = answers.filter(({ status }) => status === 200);
    const [first, ...others] = created.map(({ json }) => json);
    for (const other of others) expect(asRepeated(other)).toEqual(asRepeated(first));
    expect(created.filter(({ json }) => json.data.secret).length).toBeLessThan(2);
    for (const { status, json } of answers.filter(({ status }) => status !== 200)) {
      expect([status, json.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    }
    expect((await acme.post(path, body, headers)).json).toEqual(asRepeated(first));
  });

  it("is free again after a 4xx: a retry after topping up works", async () => {
    const transfer = await acme.transfer("USD", "USD");
    const account_id = platform.accountId("acme", "USD", false);
    const quote = await acme.data("POST", paths.rfq, { ...usd, ...transfer, account_id });
    const [headers, body] = [newKey(), { quote_id: quote.id }];
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = await acme.post(paths.execute, body, headers);
      expect([refused.status, refused.json.code]).toEqual([400, "INSUFFICIENT_BALANCE"]);
    }
    await platform.clients.payout.creditAccount({
      mutation: { operationId: crypto.randomUUID() },
      merchantId: platform.sandbox.merchants.acme.merchant_id,
      accountId: account_id,
      amount: "10.00",
      note: "topped up",
    });
    const executed = await acme.post(paths.execute, body, headers);
    expect([executed.status, executed.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect((await acme.post(paths.execute, body, headers)).text).toBe(executed.text);
  });

  it("counts for its merchant and path alone", async () => {
    const headers = newKey();
    const [first, second] = await Promise.all([
      acme.post(paths.fiat, bankBody(), headers),
      globex.post(paths.fiat, bankBody("LOCAL"), headers),
    ]);
    const third = await acme.post(paths.crypto, cryptoBody(), headers);
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect(new Set([first.text, second.text, third.text]).size).toBe(3);
  });

  it.each([
    ["1 character", "k", 200],
    ["255 characters", "k".repeat(255), 200],
    ["256 characters", "k".repeat(256), 400],
    ["none", "", 400],
    ["a tab inside", "a\tb", 400],
    ["letters beyond ASCII", "\xe4", 400],
  ])("of %s", async (_what, key, status) => {
    const answer = await acme.post(paths.fiat, bankBody(), keyed(key));
    expect([answer.status, answer.json.code]).toEqual([
      status,
      status === 200 ? undefined : "INVALID_REQUEST",
    ]);
  });
});

describe("a request id", () => {
  it.each([
    ["order-77.a:b_c", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["two words", false],
    ["{}", false],
  ])("%s comes back: %s", async (sent, kept) => {
    const { headers } = await acme.get(paths.payouts, { "x-request-id": sent });
    const back = headers.get("x-request-id") ?? "";
    expect(back === sent).toBe(kept);
    expect(back).toMatch(/^[\w.:-]{1,128}$/);
  });

  it("is in the log of every service that a request reaches", async () => {
    const logged = async (request: string, services: ServiceName[]) =>
      vi.waitFor(() => {
        for (const service of services) {
          expect(platform.log(service), service).toContain(`"request_id":"${request}"`);
        }
      }, 10_000);
    await acme.recipient("USD");
    const body = { ...usd, ...(await acme.transfer("USD", "USD")) };
    await acme.post(paths.rfq, body, { "x-request-id": "traced-1" });
    await logged("traced-1", ["gateway", "quote", "beneficiary"]);
    await acme.post(paths.crypto, cryptoBody(), { "x-request-id": "traced-2" });
    await logged("traced-2", ["gateway", "beneficiary", "compliance"]);
    await acme.get(paths.accounts, { "x-request-id": "traced-3" });
    await logged("traced-3", ["gateway", "payout"]);
  });
});

it("says the rate limit on every answer to a key", async () => {
  const { headers } = await acme.get(paths.payouts);
  expect(headers.get("ratelimit-limit")).toBe("200");
  expect(Number(headers.get("ratelimit-remaining"))).toBeLessThan(200);
  expect(headers.get("ratelimit-reset")).toMatch(/^\d$/);
});

it.each(["/healthz", "/readyz"])("serves %s without a key", async (path) => {
  expect((await fetch(platform.baseUrl + path)).status).toBe(200);
});

it("lists a merchant's accounts", async () => {
  const { accounts, meta_data } = await globex.data("GET", paths.accounts);
  const account = {
    id: id("acc"),
    name: "",
    currency_code: "USD",
    available: 1_000_000,
    held: 0,
    closed_at: "",
    top_up_instructions: "",
    ...times,
  };
  expect(accounts).toEqual([account]);
  expect(meta_data).toEqual({ total_count: 1, next_cursor: "" });
  expect((await acme.data("GET", paths.accounts)).accounts).toHaveLength(5);
});

it("serves webhook endpoints and their deliveries", async () => {
  const settings = {
    order: "bounded",
    event_types: ["*"],
    pending_url: "",
    paused_at: "",
    pause_reason: "",
  };
  const shown = {
    ...{ id: id("whe"), ...hook, description: "", ...times },
    ...{ state: "active", ...settings },
  };
  const idle = {
    ...{ circuit: "closed", concurrency_limit: 8, consecutive_failures: 0 },
    ...{ last_delivered_at: "", last_failed_at: "", last_failure: "" },
    ...{ pending_count: 0, oldest_pending_at: "" },
  };
  const secret = expect.stringMatching(/^\S{32,}$/);
  const standard_secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const secrets = { secret, standard_secret };
  const created = await globex.data("POST", paths.endpoints, hook);
  expect(created).toEqual({ ...shown, ...secrets });
  const path = `${paths.endpoints}/${created.id}`;
  expect(await globex.data("GET", path)).toEqual({ ...shown, health: idle });
  const { endpoints, meta_data } = await globex.data("GET", paths.endpoints);
  const listedOnce = [{ ...shown, health: idle }];
  expect([endpoints, meta_data]).toEqual([listedOnce, { total_count: 1, next_cursor: "" }]);
  for (const body of [undefined, {}, { overlap_seconds: 0 }, { stage: true }]) {
    const rotated = await globex.data("POST", `${path}/rotate-secret`, body);
    expect(rotated).toEqual({ ...shown, ...secrets });
    expect([rotated.secret, rotated.standard_secret]).not.toContain(created.secret);
  }
  expect(await globex.data("POST", `${path}/activate-secret`)).toEqual(shown);

  const delivery = {
    id: id("whd"),
    endpoint_id: created.id,
    event_id: expect.stringMatching(/^evt_/),
    transaction_type: "webhook_test",
    transaction_id: expect.stringMatching(/^\S+$/),
    status: "test",
    test: false,
    sequence: 1,
    state: "pending",
    attempts_count: expect.any(Number),
    replay: 0,
    next_attempt_at: expect.any(String),
    ...times,
  };
  const tested = await globex.data("POST", `${path}/test`);
  expect(tested).toEqual(delivery);
  const deliveryPath = `${paths.deliveries}/${tested.id}`;
  await vi.waitFor(async () => {
    const { attempts, request, ...read } = await globex.data("GET", deliveryPath);
    expect(read).toEqual({ ...delivery, id: tested.id });
    expect(request).toMatchObject({ headers: { "webhook-id": delivery.event_id } });
    const refused = { number: 1, status_code: 0, response_body: "", error: expect.any(String) };
    const timed = { started_at: expect.any(String), duration_ms: expect.any(Number) };
    expect(attempts).toEqual([{ ...refused, ...timed }]);
  }, 10_000);
  const listed = await globex.data("GET", `${paths.deliveries}?endpoint_id=${created.id}`);
  expect(listed.deliveries).toMatchObject([{ id: tested.id, state: "pending" }]);

  expect(await globex.data("DELETE", path)).toEqual({ id: created.id, deleted: true });
  expect((await globex.get(path)).status).toBe(404);
  expect((await globex.get(paths.endpoints)).json.data.endpoints).toEqual([]);
});
