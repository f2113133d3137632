import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { GatewayAnswer } from "@disburse/testkit/merchant.ts";
import { startSeparatePlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bankBody, cryptoBody, depositorBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { connect } from "./raw.ts";

/** Sends concurrent requests, loses responses, and kills a gateway in between. */

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await startSeparatePlatform({
    SANDBOX_SETTLE_MS: "200",
    RATE_LIMIT_BURST: "100000",
    RATE_LIMIT_PER_SECOND: "1000",
  });
  acme = payerOf(platform, "acme");
  await acme.recipient("USD");
});
afterAll(() => platform?.stop());

/** Concurrent requests: four quotes with their racers. Two cores answer them within 10 s. */
const lanes = 64;

/** Returns results in order. Limits concurrency. */
async function times<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const created: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      created[at] = await make(at);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return created;
}

const racers = 16;

/** Executes like a careful client: if the platform is overloaded, it retries with the same key. */
async function execute(body: object, headers: Record<string, string> = {}): Promise<GatewayAnswer> {
  for (;;) {
    const answer = await acme.post(paths.execute, body, headers);
    if (answer.status !== 503 || headers["idempotency-key"] === undefined) return answer;
  }
}
const keyed = (key: string) => ({ "idempotency-key": key });
/** Returns "paid" or the error code. */
const outcomeOf = ({ status, json }: GatewayAnswer) => (status === 200 ? "paid" : json.code);

it("a quote raced for by many with keys of all kinds has one payout", async () => {
  const quotes = await times(25, () => acme.quote("USD", "USD", { source_amount: "1.00" }));
  /** Four without a key, four with different keys, and two keys shared by four each. */
  const headersOf = (quoteId: string, at: number): Record<string, string> => {
    if (at % 4 === 0) return {};
    return keyed(at % 4 === 1 ? `${quoteId}-${at}` : `${quoteId}-shared-${at % 4}`);
  };
  const answers = await times(quotes.length * racers, (at) => {
    const { id: quote_id } = quotes[Math.floor(at / racers)] ?? { id: "" };
    const headers = headersOf(quote_id, at % racers);
    return execute({ quote_id, reference_id: "raced" }, headers);
  });
  const lost = ["ALREADY_PROCESSED", "IDEMPOTENCY_IN_PROGRESS", "SERVICE_UNAVAILABLE"];
  for (const [index, { id: quote_id }] of quotes.entries()) {
    const its = answers.slice(index * racers, (index + 1) * racers);
    const won = its.filter(({ status }) => status === 200);
    for (const each of its) expect(["paid", ...lost]).toContain(outcomeOf(each));
    const { transactions } = await acme.data("GET", `${paths.payouts}?quote_id=${quote_id}`);
    expect(transactions).toHaveLength(1);
    for (const each of won) expect(each.json.data.id).toBe(transactions[0].id);
    // On a slow machine the winner can time out. Without an idempotency key, its answer is lost.
    const isUnsure = its.some(({ status }) => status === 503);
    const fresh = won.filter(({ headers }) => !headers.has("idempotent-replayed"));
    expect(fresh.length).toBeLessThanOrEqual(1);
    expect(fresh.length === 1 || isUnsure).toBe(true);
  }
});

it("a key that comes with two bodies at once pays one of them", async () => {
  const pairs = await times(30, async () => [
    await acme.quote("USD", "USD", { source_amount: "1.00" }),
    await acme.quote("USD", "USD", { source_amount: "1.00" }),
  ]);
  const outcomes = await times(pairs.length, async (at) => {
    const tries = [0, 1, 0, 1].map((of) =>
      execute({ quote_id: pairs[at]?.[of]?.id }, keyed(`bodies-${at}`)),
    );
    return (await Promise.all(tries)).map(outcomeOf);
  });
  const others = ["paid", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"];
  expect(outcomes.flat().filter((outcome) => !others.includes(outcome))).toEqual([]);
  const paid = await times(pairs.length, async (at) => {
    const created = await Promise.all(
      (pairs[at] ?? []).map(({ id }) => acme.data("GET", `${paths.payouts}?quote_id=${id}`)),
    );
    return created.flatMap(({ transactions }) => transactions).length;
  });
  expect(paid).toEqual(pairs.map(() => 1));
});

it("an account with room for 50 of 200 pays exactly 50, and nothing is left", async () => {
  const { merchant_id: merchantId } = platform.sandbox.merchants.acme;
  const { payout } = platform.clients;
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const opened = await payout.openAccount({
    mutation: mutation(),
    merchantId,
    currencyCode: "USD",
  });
  const account_id = opened.account?.id ?? "";
  const accountId = account_id;
  const fund = (amount: string) =>
    payout.creditAccount({ mutation: mutation(), merchantId, accountId, amount });
  await fund("350.00");
  const request = { ...(await acme.transfer("USD", "USD")), source_amount: "7.00" };
  request.account_id = accountId;
  const quotes = await times(200, () => acme.data("POST", paths.rfq, request));
  const answers = await times(200, (at) => {
    const { id: quote_id } = quotes[at];
    return execute({ quote_id }, keyed(`room-${at}`));
  });
  const outcomes = answers.map(outcomeOf);
  expect(outcomes.filter((outcome) => outcome === "paid")).toHaveLength(50);
  expect(outcomes.filter((outcome) => outcome === "INSUFFICIENT_BALANCE")).toHaveLength(150);
  const accountPath = `${paths.accounts}/${accountId}`;
  expect(await acme.data("GET", accountPath)).toMatchObject({ available: 0 });
  await vi.waitFor(
    async () => expect(await acme.data("GET", accountPath)).toMatchObject({ held: 0 }),
    10_000,
  );
  const refused = outcomes.indexOf("INSUFFICIENT_BALANCE");
  await fund("7.00");
  const again = { quote_id: quotes[refused].id };
  expect((await acme.post(paths.execute, again, keyed(`room-${refused}`))).status).toBe(200);
  expect(await acme.data("GET", accountPath)).toMatchObject({ available: 0 });
});

it("who lost the answer finds the payout by reference, by quote and by key", async () => {
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "1.00" });
  const body = JSON.stringify({ quote_id, reference_id: "lost answer" });
  const socket = await connect(platform.baseUrl);
  socket.write(
    [
      `POST ${paths.execute} HTTP/1.1`,
      "Host: gateway",
      `Authorization: Bearer ${platform.apiKey("acme")}`,
      "Content-Type: application/json",
      "Idempotency-Key: lost-answer",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  const found = async (filter: string) =>
    (await acme.data("GET", `${paths.payouts}?${filter}`)).transactions;
  const id = await vi.waitFor(async () => {
    const [payout] = await found(`quote_id=${quote_id}`);
    expect(payout).toBeDefined();
    return payout.id;
  }, 10_000);
  socket.destroy();
  if (!socket.closed) await once(socket, "close");
  expect(await found("reference_id=lost+answer")).toMatchObject([{ id }]);
  const answer = await vi.waitFor(async () => {
    const again = await acme.post(paths.execute, body, keyed("lost-answer"));
    expect(again.status).toBe(200);
    return again;
  }, 10_000);
  expect(answer.json.data).toEqual({ id, message: "Transaction Queued" });
});

/** Sends each kind of POST with a separate key. */
async function postEach(ids: Readonly<Record<string, string>>): Promise<[string, GatewayAnswer][]> {
  const { quote_id, endpoint, delivery } = ids;
  const of = (path: string) => `${paths.endpoints}/${endpoint}/${path}`;
  const replay = { endpoint_id: endpoint, since: "2026-11-20" };
  const posts: [path: string, body: object][] = [
    [paths.crypto, cryptoBody()],
    [paths.fiat, bankBody()],
    [paths.depositor, depositorBody("individual")],
    [paths.rfq, { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" }],
    [paths.execute, { quote_id }],
    [paths.endpoints, { url: "http://127.0.0.1:9/once" }],
    [of("rotate-secret"), { stage: true }],
    [of("activate-secret"), {}],
    [of("test"), {}],
    [`${paths.deliveries}/${delivery}/redeliver`, {}],
    [paths.replays, replay],
  ];
  const answers: [string, GatewayAnswer][] = [];
  for (const [path, body] of posts) {
    answers.push([path, await acme.post(path, body, keyed(`once ${path}`))]);
  }
  return answers;
}

it("a gateway that died before it kept an answer gives it again, and does nothing twice", async () => {
  const { id: endpoint } = await acme.data("POST", paths.endpoints, { url: "http://127.0.0.1:9/" });
  const payout = await acme.pay("delivered");
  const delivery = await vi.waitFor(async () => {
    const query = `?transaction_id=${payout}&endpoint_id=${endpoint}`;
    const { deliveries } = await acme.data("GET", paths.deliveries + query);
    return deliveries[0].id;
  }, 10_000);
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "1.00" });
  const before = await postEach({ quote_id, endpoint, delivery });
  expect(before.map(([path, { status, text }]) => (status === 200 ? 200 : path + text))).toEqual(
    before.map(() => 200),
  );
  const counts = await countAll();

  await platform.kill("gateway");
  const database = await platform.openDatabase("gateway");
  try {
    // Simulates a process that died after the effect, whose lock has expired.
    const progress = { state: "running", lock_until: new Date() };
    await database.db.collection("idempotency_keys").updateMany({}, { $set: { progress } });
  } finally {
    await database.close();
  }
  await platform.start("gateway");
  const after = await postEach({ quote_id, endpoint, delivery });
  const headersAndBody = ({ headers, json }: GatewayAnswer) => {
    const { id, beneficiary_id, secret, standard_secret } = json.data ?? json;
    return [headers.get("idempotent-replayed"), id ?? beneficiary_id, secret, standard_secret];
  };
  for (const [at, [path, answer]] of after.entries()) {
    const first = before[at]?.[1];
    expect([path, ...headersAndBody(answer)]).toEqual([
      path,
      ...(first ? headersAndBody(first) : []),
    ]);
  }
  expect(await countAll()).toEqual(counts);
});

/** Counts all records that a POST can create. */
async function countAll(): Promise<Record<string, number>> {
  // The total of payouts can lag by a second. Both counts must be complete.
  await pause(1_500);
  const depositors = "/api/v1/depositors";
  const { beneficiaries, payouts, endpoints, replays } = paths;
  const lists = [beneficiaries, depositors, payouts, endpoints, replays];
  const counted = lists.map(async (path) => {
    const { meta_data } = await acme.data("GET", `${path}?limit=1`);
    return [path, meta_data.total_count] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}
