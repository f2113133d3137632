import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
});

/** Sends a request with the header and returns its status, media type and JSON. */
async function dry(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${platform.baseUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.apiKey("acme")}`,
      "content-type": "application/json",
      "disburse-dry-run": "true",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const json = (await answer.json()) as { data: Record<string, unknown> };
  return { status: answer.status, type: answer.headers.get("content-type"), json };
}

const countOf = async (path: string): Promise<number> =>
  (await acme.get(path)).json.data.meta_data.total_count;

/**
 * Counts the payouts to this file's beneficiary, and the holds of acme's accounts in USD that belong
 * to no other payout. Other files share the merchant, and their orders may become payouts meanwhile.
 */
async function stateOf(): Promise<number[]> {
  const beneficiary_id = await acme.recipient("USD");
  const isOfOthers = async ({ payout_id }: { payout_id: string }): Promise<boolean> => {
    const { status, json } = await acme.get(`${paths.payouts}/${payout_id}`);
    return status === 200 && json.data.beneficiary_id !== beneficiary_id;
  };
  const holds = [true, false].map(async (funded) => {
    const account = platform.accountId("acme", "USD", funded);
    const { json } = await acme.get(`${paths.accounts}/${account}/entries?step=hold&limit=100`);
    const ofOthers = await Promise.all(json.data.entries.map(isOfOthers));
    return ofOthers.filter((is) => !is).length;
  });
  return Promise.all([countOf(`${paths.payouts}?beneficiary_id=${beneficiary_id}`), ...holds]);
}

it("a quote and its execution are rehearsed, and nothing is stored", async () => {
  const terms = { ...(await acme.transfer("USD", "USD")), source_amount: "10.00" };
  const { status, type, json } = await dry(paths.rfq, terms);
  expect([status, type]).toEqual([200, "application/vnd.disburse.dry-run+json"]);
  const { data: quote } = (await acme.post(paths.rfq, terms)).json;
  const amounts = {
    source_amount: quote.source_amount,
    receiving_amount: quote.receiving_amount,
    total_fees: quote.total_fees,
  };
  expect(json.data).toMatchObject({ would_succeed: true, refusals: [], ...amounts });
  const before = await stateOf();
  const key = { "idempotency-key": "dry-then-wet" };
  const body = { quote_id: quote.id, reference_id: "dry" };
  const rehearsed = await dry(paths.execute, body, key);
  expect(rehearsed.json.data).toMatchObject({ would_succeed: true, ...amounts });
  expect(await stateOf()).toEqual(before);
  const executed = await acme.call("POST", paths.execute, body, key);
  expect(executed.status).toBe(200);
  expect(executed.headers.get("idempotent-replayed")).toBeNull();
  const again = await dry(paths.execute, body, key);
  expect(again.json.data).toMatchObject({
    would_succeed: false,
    refusals: [{ code: "ALREADY_PROCESSED" }],
  });
});

it("names every refusal, not only the first", async () => {
  const terms = await acme.transfer("USD", "USD");
  const wrong = { ...terms, beneficiary_id: "ben_x", source_amount: "99999999.00" };
  const { json } = await dry(paths.rfq, wrong);
  const codes = (json.data.refusals as { code: string }[]).map(({ code }) => code);
  expect(codes).toEqual(
    expect.arrayContaining([
      "RECORD_NOT_FOUND",
      "AMOUNT_NOT_WITHIN_LIMITS",
      "INSUFFICIENT_BALANCE",
    ]),
  );
  const unknown = await dry(paths.execute, { quote_id: "qt_x" });
  expect(unknown.json.data).toMatchObject({ refusals: [{ code: "RECORD_NOT_FOUND" }] });
  expect((await dry(paths.execute, {})).status).toBe(400);
});

it("an approval, a duplicate and a low balance are shown, and nothing is stored", async () => {
  const controls = "/api/v1/sandbox/payout-controls";
  const rules = { approval_amounts: { USD: "5.00" }, duplicate_window_seconds: 600 };
  expect((await acme.post(controls, rules)).status).toBe(200);
  onTestFinished(() => acme.resetControls());
  const reference_id = crypto.randomUUID();
  const rehearsed = async (source_amount: string, change: object = {}) => {
    const { id: quote_id } = await acme.quote("USD", "USD", { source_amount });
    return (await dry(paths.execute, { quote_id, reference_id, ...change })).json.data;
  };
  await vi.waitFor(async () => {
    expect(await rehearsed("5.00")).toMatchObject({
      ...{ would_succeed: true, approval_required: true, approval_reasons: ["amount"] },
    });
  }, 10_000);
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "4.00" });
  const { json: paid } = await acme.post(paths.execute, { quote_id, reference_id });
  const own = `${paths.accounts}/${platform.accountId("acme", "USD")}/entries?step=hold`;
  await vi.waitFor(async () => expect(await countOf(`${own}&payout_id=${paid.data.id}`)).toBe(1));
  const before = await stateOf();
  expect(await rehearsed("4.00")).toMatchObject({
    refusals: [{ code: "POSSIBLE_DUPLICATE", payout_id: paid.data.id }],
  });
  expect(await rehearsed("4.00", { allow_duplicate: true })).toMatchObject({ refusals: [] });
  const terms = await acme.transfer("USD", "USD");
  const account_id = platform.accountId("acme", "USD", false);
  const short = await acme.post(paths.rfq, { ...terms, account_id, source_amount: "4.00" });
  const ofShort = { quote_id: short.json.data.id };
  expect((await dry(paths.execute, ofShort)).json.data).toMatchObject({
    ...{ refusals: [{ code: "INSUFFICIENT_BALANCE" }], would_wait: false, available_amount: 0 },
  });
  const waits = await dry(paths.execute, { ...ofShort, queue_if_low_balance: true });
  expect(waits.json.data).toMatchObject({ would_succeed: true, would_wait: true });
  expect(await stateOf()).toEqual(before);
});

it("other operations refuse the header and do nothing", async () => {
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const before = await countOf(paths.batches);
  const { status, json } = await dry(paths.batches, { lines: [line] });
  expect([status, json]).toMatchObject([
    400,
    { code: "INVALID_REQUEST", violations: [{ field: "Disburse-Dry-Run" }] },
  ]);
  expect(await countOf(paths.batches)).toBe(before);
  const terms = { ...line };
  expect((await dry(paths.rfq, terms, { "disburse-dry-run": "yes" })).status).toBe(400);
});

it("a batch is validated with its totals, and nothing is stored", async () => {
  const line = { ...(await acme.transfer("USD", "USD")), source_amount: "1.00" };
  const lines = [
    { ...line, reference_id: "a" },
    { ...line, reference_id: "b", source_amount: "99999999.00" },
    { ...line, reference_id: "c", source_amount: "ten" },
    { ...line, reference_id: "d", beneficiary_id: "ben_x" },
    {
      ...line,
      reference_id: "e",
      max_source_amount: "2.00",
      receiving_amount: "5.00",
      source_amount: "",
    },
  ].map(({ source_amount, ...each }) => (source_amount === "" ? each : { ...each, source_amount }));
  const before = await countOf(paths.batches);
  const { json } = await acme.post(`${paths.batches}/validate`, { lines });
  expect(json.data).toMatchObject({
    ...{ valid: false, line_count: 5, payable_count: 1, problem_count: 4 },
    ...{ source_currency_code: "USD", balance_sufficient: false },
    problems: [
      { code: "INVALID_REQUEST", field: "lines[2].source_amount", reference_id: "c" },
      { code: "INVALID_REQUEST", field: "lines[3].beneficiary_id", reference_id: "d" },
      { code: "AMOUNT_NOT_WITHIN_LIMITS", field: "lines[1]", reference_id: "b" },
      { code: "COST_ABOVE_MAXIMUM", field: "lines[4].max_source_amount", reference_id: "e" },
    ],
  });
  expect(await countOf(paths.batches)).toBe(before);
  const good = await acme.post(`${paths.batches}/validate`, { lines: lines.slice(0, 1) });
  expect(good.json.data).toMatchObject({
    ...{ valid: true, payable_count: 1, total_amount: 1, balance_sufficient: true, problems: [] },
  });
});
