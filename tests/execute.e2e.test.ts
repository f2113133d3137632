import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { sandboxCorridors, sandboxLimits } from "@disburse/sandbox/sandbox-data.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { expectNoEffect, expectRefusal } from "./error-table.ts";
import { type Payer, payerOf, recipientBody } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "200" });
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});
afterAll(() => platform?.stop());

const mutation = () => ({ operationId: crypto.randomUUID() });

/** Sets the sandbox's corridor terms with some changes. */
async function setCorridor(source: string, destination: string, changes: object) {
  const corridors = sandboxCorridors.filter((each) => each.source === source);
  const terms = corridors.find((each) => each.destination === destination);
  if (terms === undefined) throw new Error("the sandbox has no such corridor");
  const { min, max } = sandboxLimits[source] ?? { min: "", max: "" };
  await platform.clients.quote.setCorridor({
    mutation: mutation(),
    corridor: {
      sourceCurrencyCode: source,
      destinationCurrencyCode: destination,
      active: true,
      feeShare: terms.feeShare,
      feeFlat: terms.feeFlat,
      limits: { sourceMin: min, sourceMax: max },
      ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, returnCharges: ReturnCharges.PLATFORM },
      ...changes,
    },
  });
}

async function setOpen(corridorId: string, open: boolean): Promise<void> {
  const { merchant_id: merchantId } = platform.sandbox.merchants.acme;
  await platform.clients.quote.setMerchantCorridor({
    mutation: mutation(),
    merchantId,
    corridorId,
    open,
  });
}

async function unfunded(source_amount: string) {
  const account_id = platform.accountId("acme", "USD", false);
  const request = { ...(await acme.transfer("USD", "USD")), source_amount, account_id };
  return acme.data("POST", paths.rfq, request);
}

const expired = async (quoteId: string) => {
  const { expired_at } = await acme.data("GET", `${paths.quotes}/${quoteId}`);
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(expired_at) + 50), 5_000);
};

it("RECORD_NOT_FOUND: the quote is unknown", async () => {
  for (const quote_id of ["qt_unknown", "qt_00000000000000000000000000", "$where", "po_1"]) {
    await expectNoEffect(acme, paths.execute, { quote_id }, "RECORD_NOT_FOUND");
  }
});

it("RECORD_NOT_FOUND: the payout is unknown; a list never is", async () => {
  for (const id of ["po_unknown", "po_00000000000000000000000000", "%24ne", "a".repeat(300)]) {
    expectRefusal(await acme.get(`${paths.payouts}/${id}`), "RECORD_NOT_FOUND");
  }
  const { transactions, meta_data } = await globex.data("GET", paths.payouts);
  expect([transactions, meta_data]).toEqual([[], { total_count: 0, next_cursor: "" }]);
});

it("ACCESS_FORBIDDEN: the quote is another's, whatever else is wrong", async () => {
  const open = await acme.quote("USD", "USD", { source_amount: "10.00" });
  const paid = await acme.quote("USD", "USD", { source_amount: "10.00" });
  expect((await acme.post(paths.execute, { quote_id: paid.id })).status).toBe(200);
  const costly = await unfunded("100000.01");
  for (const quote of [open, paid, costly]) {
    await expectNoEffect(globex, paths.execute, { quote_id: quote.id }, "ACCESS_FORBIDDEN");
  }
});

it("RECORD_NOT_FOUND at RFQ: the beneficiary is archived; its quotes still execute", async () => {
  const [path, body] = recipientBody("USDC_ETH");
  const { beneficiary_id } = await acme.data("POST", path, body);
  const request = {
    source_amount: "10.00",
    ...(await acme.transfer("USD", "USDC_ETH")),
    beneficiary_id,
  };
  const { id: quote_id } = await acme.data("POST", paths.rfq, request);
  await acme.data("DELETE", `${paths.beneficiaries}/${beneficiary_id}`);
  await expectNoEffect(acme, paths.rfq, request, "RECORD_NOT_FOUND");
  const { id } = await acme.data("POST", paths.execute, { quote_id });
  await vi.waitFor(async () => {
    const { status } = await acme.data("GET", `${paths.payouts}/${id}`);
    expect(status).toBe("succeeded");
  }, 10_000);
});

it("ALREADY_PROCESSED: each quote is paid once, whoever is first", async () => {
  const quote = await acme.quote("USD", "USD", { source_amount: "10.00" });
  const body = { quote_id: quote.id, reference_id: "first" };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => acme.post(paths.execute, body)),
  );
  const [won, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectRefusal(answer, "ALREADY_PROCESSED");
  }
  const again = { ...body, reference_id: "second" };
  expectRefusal(await acme.post(paths.execute, again), "ALREADY_PROCESSED");
  const payout = await acme.data("GET", `${paths.payouts}/${won?.json.data.id}`);
  expect(payout).toMatchObject({ quote_id: quote.id, reference_id: "first" });
});

it("AMOUNT_NOT_WITHIN_LIMITS before INSUFFICIENT_BALANCE; neither takes the quote", async () => {
  const cases = [
    ["0.99", "AMOUNT_NOT_WITHIN_LIMITS"],
    ["1.00", "INSUFFICIENT_BALANCE"],
    ["100000.00", "INSUFFICIENT_BALANCE"],
    ["100000.01", "AMOUNT_NOT_WITHIN_LIMITS"],
  ] as const;
  for (const [amount, code] of cases) {
    const quote = await unfunded(amount);
    const body = { quote_id: quote.id };
    await expectNoEffect(acme, paths.execute, body, code);
    await expectNoEffect(acme, paths.execute, body, code);
    expect(await acme.data("GET", `${paths.quotes}/${quote.id}`)).toEqual(quote);
  }
});

it("AMOUNT_NOT_WITHIN_LIMITS: of what is received, and by the limits of now", async () => {
  const receivingLimits = { receivingMin: "10.00000000", receivingMax: "20.00000000" };
  const sound = await acme.quote("BTC", "BTC", { source_amount: "0.5" });
  await setCorridor("BTC", "BTC", { limits: receivingLimits });
  await expectNoEffect(acme, paths.execute, { quote_id: sound.id }, "AMOUNT_NOT_WITHIN_LIMITS");
  await setCorridor("BTC", "BTC", {});
  expect((await acme.post(paths.execute, { quote_id: sound.id })).status).toBe(200);
});

it("INSUFFICIENT_BALANCE: a quote more than there is, the rest of it still to spend", async () => {
  const quotes = await Promise.all(
    Array.from({ length: 6 }, () => globex.quote("USD", "USD", { source_amount: "100000.00" })),
  );
  const amounts = { source_amount: "99999.99" };
  for (let at = 0; at < 3; at += 1) quotes.push(await globex.quote("USD", "USD", amounts));
  const answers = await Promise.all(
    quotes.map(({ id }) => globex.post(paths.execute, { quote_id: id, reference_id: "bulk" })),
  );
  expect(answers.map(({ status }) => status)).toEqual(quotes.map(() => 200));
  const last = await globex.quote("USD", "USD", { source_amount: "100000.00" });
  const rest = await globex.quote("USD", "USD", { source_amount: "50000.00" });
  expect((await globex.post(paths.execute, { quote_id: rest.id })).status).toBe(200);
  const before = await globex.data("GET", paths.payouts);
  expectRefusal(await globex.post(paths.execute, { quote_id: last.id }), "INSUFFICIENT_BALANCE");
  expect((await globex.data("GET", paths.payouts)).transactions.length).toBe(
    before.transactions.length,
  );
  await vi.waitFor(
    async () => {
      const { accounts } = await globex.data("GET", paths.accounts);
      expect(accounts).toMatchObject([{ available: 50_000.03, held: 0 }]);
    },
    { timeout: 10_000 },
  );
});

it("QUOTE_EXPIRED before limits and balance, after ALREADY_PROCESSED", async () => {
  await setCorridor("USD", "USD", { quoteTtlSeconds: 5 });
  try {
    const costly = await unfunded("100000.01");
    const open = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const paid = await acme.quote("USD", "USD", { source_amount: "10.00" });
    const executed = await acme.post(paths.execute, { quote_id: paid.id });
    expect([executed.status, executed.text]).toEqual([200, expect.stringContaining("po_")]);
    await expectNoEffect(acme, paths.execute, { quote_id: costly.id }, "AMOUNT_NOT_WITHIN_LIMITS");
    await expired(paid.id);
    await expectNoEffect(acme, paths.execute, { quote_id: open.id }, "QUOTE_EXPIRED");
    await expectNoEffect(acme, paths.execute, { quote_id: costly.id }, "QUOTE_EXPIRED");
    await expectNoEffect(acme, paths.execute, { quote_id: open.id }, "QUOTE_EXPIRED");
    await expectNoEffect(acme, paths.execute, { quote_id: paid.id }, "ALREADY_PROCESSED");
    await expectNoEffect(globex, paths.execute, { quote_id: open.id }, "ACCESS_FORBIDDEN");
  } finally {
    await setCorridor("USD", "USD", {});
  }
});

it("ACCESS_FORBIDDEN: the corridor is closed, before all that is told of the quote", async () => {
  await setCorridor("USD", "SOL", { quoteTtlSeconds: 2 });
  const open = await acme.quote("USD", "SOL", { source_amount: "10.00" });
  const paid = await acme.quote("USD", "SOL", { source_amount: "10.00" });
  const headers = { "idempotency-key": "paid-before-closing" };
  const executed = await acme.post(paths.execute, { quote_id: paid.id }, headers);
  expect(executed.status).toBe(200);
  const closings: [close: () => Promise<void>, reopen: () => Promise<void>][] = [
    [() => setOpen(open.corridor_id, false), () => setOpen(open.corridor_id, true)],
    [() => setCorridor("USD", "SOL", { active: false }), () => setCorridor("USD", "SOL", {})],
  ];
  for (const [close, reopen] of closings) {
    await close();
    for (const { id: quote_id } of [open, paid]) {
      await expectNoEffect(acme, paths.execute, { quote_id }, "ACCESS_FORBIDDEN");
    }
    const again = await acme.post(paths.execute, { quote_id: paid.id }, headers);
    expect(again.text).toBe(executed.text);
    await reopen();
  }
  await expired(open.id);
  await setOpen(open.corridor_id, false);
  expectRefusal(await acme.post(paths.execute, { quote_id: open.id }), "ACCESS_FORBIDDEN");
  await setOpen(open.corridor_id, true);
  expectRefusal(await acme.post(paths.execute, { quote_id: open.id }), "QUOTE_EXPIRED");
  expectRefusal(await acme.post(paths.execute, { quote_id: paid.id }), "ALREADY_PROCESSED");
});

it("SERVICE_UNAVAILABLE at RFQ: the rate is older than its corridor allows", async () => {
  const quote = () => acme.post(paths.rfq, body);
  const body = { source_amount: "0.1", ...(await acme.transfer("BTC", "BTC")) };
  const { corridor_id: corridorId } = await acme.data("POST", paths.rfq, body);
  await setCorridor("BTC", "BTC", { rateMaxAgeSeconds: 2 });
  await vi.waitFor(async () => expect((await quote()).status).toBe(503), 10_000);
  const rate = { rate: "0.5", source: "desk" };
  await platform.seeders.quote.setRate({ mutation: mutation(), corridorId, rate });
  await setCorridor("BTC", "BTC", {});
  await vi.waitFor(
    async () => expect((await quote()).json).toMatchObject({ data: { exchange_rate: 0.5 } }),
    10_000,
  );
});

it("metadata is kept on beneficiary, quote and payout, and finds the payout again", async () => {
  const [path, body] = recipientBody("USD");
  const own = { iban: "not one", desk: "EU" };
  const created = await acme.data("POST", path, { ...body, metadata: own });
  const { beneficiary_id } = created;
  const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiary_id}`);
  expect(read.metadata).toEqual(own);
  const request = {
    ...(await acme.transfer("USD", "USD")),
    beneficiary_id,
    source_amount: "12.34",
  };
  const quote = await acme.data("POST", paths.rfq, { ...request, metadata: { order: " 7 " } });
  expect(quote.metadata).toEqual({ order: "7" });
  const order = crypto.randomUUID();
  const sent = { quote_id: quote.id, metadata: { order, "cost.centre": "a&b=c" } };
  const { id } = await acme.data("POST", paths.execute, sent);
  const payout = await acme.data("GET", `${paths.payouts}/${id}`);
  const account_id = platform.accountId("acme", "USD");
  expect(payout).toMatchObject({ account_id, metadata: sent.metadata });
  const whole = `${paths.payouts}/${id}?expand[]=beneficiary&expand[]=quote`;
  expect(await acme.data("GET", whole)).toMatchObject({
    ...{ id, beneficiary: { beneficiary_id, metadata: own } },
    quote: { id: quote.id, metadata: quote.metadata },
  });
  const found = async (query: [string, string][]) => {
    const page = await acme.data("GET", `${paths.payouts}?${new URLSearchParams(query)}`);
    return page.transactions.map((each: { id: string }) => each.id);
  };
  const byOrder: [string, string] = ["metadata", `order=${order}`];
  expect(await found([byOrder])).toEqual([id]);
  expect(await found([byOrder, ["metadata", "cost.centre=a&b=c"]])).toEqual([id]);
  expect(await found([byOrder, ["metadata", "cost.centre=a"]])).toEqual([]);
  const usd = { source_currency_code: "USD", amount_from: "12.34", amount_to: "12.34" };
  expect(await found([byOrder, ...Object.entries(usd)])).toEqual([id]);
  expect(
    await found([byOrder, ...Object.entries({ ...usd, amount_from: "12.35", amount_to: "99" })]),
  ).toEqual([]);
  const beneficiary_name = read.beneficiary_name.toUpperCase();
  expect(await found([byOrder, ["beneficiary_name", beneficiary_name]])).toEqual([id]);
  const own_account: [string, string] = ["account_id", account_id];
  const since: [string, string] = ["updated_from", payout.created_at];
  expect(await found([byOrder, own_account, since, ["sort", "created_at"]])).toEqual([id]);
  expect(await found([byOrder, ["failure_code", "ACCOUNT_CLOSED"]])).toEqual([]);
  const { transactions } = await acme.data(
    "GET",
    `${paths.payouts}?metadata=order=${order}&sort=-amount&source_currency_code=USD&expand[]=beneficiary`,
  );
  expect(transactions).toMatchObject([{ id, beneficiary: { beneficiary_id, metadata: own } }]);
  const other = await globex.data("GET", `${paths.payouts}?metadata=order=${order}`);
  expect(other.transactions).toEqual([]);
});

it("INVALID_REQUEST: metadata and searches that are malformed, each named", async () => {
  const violationsOf = async (answer: ReturnType<typeof acme.call>) => {
    const { status, json } = await answer;
    expect([status, json.code]).toEqual([400, "INVALID_REQUEST"]);
    return json.violations.map(({ field }: { field: string }) => field);
  };
  const quote_id = "qt_1";
  for (const metadata of [{ a: 1 }, { "a b": "c" }, { a: "x".repeat(501) }, [], "a"]) {
    expect(await violationsOf(acme.call("POST", paths.execute, { quote_id, metadata }))).toEqual([
      "metadata",
    ]);
  }
  const listed = (query: string) => violationsOf(acme.get(`${paths.payouts}?${query}`));
  expect(await listed("metadata=a%20b=c&limit=0")).toEqual(["limit", "metadata"]);
  expect(await listed("amount_from=1")).toEqual(["source_currency_code"]);
  expect(await listed("sort=amount")).toEqual(["source_currency_code"]);
  const beneficiary = await acme.recipient("USD");
  expect(await listed(`account_id=${beneficiary}&batch_id=${beneficiary}`)).toEqual([
    ...["account_id", "batch_id"],
  ]);
  await acme.data("GET", `${paths.payouts}?beneficiary_id=${beneficiary}`);
  const { meta_data } = await acme.data("GET", `${paths.payouts}?limit=1&sort=created_at`);
  expect(await listed(`limit=1&cursor=${meta_data.next_cursor}`)).toEqual(["cursor"]);
  expect(await listed("amount_from=x&amount_to=1.001&source_currency_code=USD")).toEqual([
    ...["amount_from", "amount_to"],
  ]);
});
