import { ExactNumber, exactNumber } from "@disburse/kernel/exact-json.ts";
import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import type { Quote } from "@disburse/sdk/gen/types.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { type Quoted, quoted, rateOf } from "./quoted.ts";
import { digits, type Exact, exact, id, time, times } from "./wire.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "500", RATE_LIMIT_BURST: "5000" });
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});
afterAll(() => platform?.stop());

/** Returns the full response to a quote request. */
function quoteAnswer([source, destination, , sent, fees, converted, receiving]: Quoted): Exact {
  return {
    data: {
      id: id("qt"),
      corridor_id: id("cor"),
      source_currency_code: source,
      destination_currency_code: destination,
      source_amount: digits(sent),
      exchange_rate: digits(rateOf(source, destination)),
      receiving_amount: digits(receiving),
      total_fees_currency: source,
      total_fees: digits(fees),
      converted_amount: digits(converted),
      expired_at: time,
      metadata: {},
      ...times,
    },
  };
}

describe("quotes", () => {
  it.each(quoted)("%s → %s by the %s amount", async (...row) => {
    const [source, destination, fixed, sent, , , receiving] = row;
    const amount = fixed === "source" ? sent : receiving;
    const transfer = await acme.transfer(source, destination);
    for (const written of [amount, exactNumber(amount)]) {
      const request = { ...transfer, [`${fixed}_amount`]: written };
      const answer = await acme.post(paths.rfq, request);
      expect(exact(answer)).toEqual(quoteAnswer(row));
      const { id, created_at, expired_at } = answer.json.data;
      expect(Date.parse(expired_at) - Date.parse(created_at)).toBe(300_000);
      expect((await acme.get(`${paths.quotes}/${id}`)).text).toBe(answer.text);
    }
  });

  it.each([
    ["1000", "1000.00"],
    ["1e3", "1000.00"],
    ["99.9", "99.90"],
    ["99.900", "99.90"],
  ])("read the number %s as %s", async (written, source) => {
    const request = JSON.stringify({ source_amount: "?", ...(await acme.transfer("USD", "USD")) });
    const answer = await acme.post(paths.rfq, request.replace('"?"', written));
    expect(exact(answer).data.source_amount).toEqual(digits(source));
  });

  it.each([[-5], [{}], ["no amount"], [null]])(
    "go by the source amount beside a receiving amount of %j",
    async (receiving_amount) => {
      const amounts = { source_amount: "123.45", receiving_amount };
      const request = { ...amounts, ...(await acme.transfer("USD", "USD")) };
      const quote = await acme.data("POST", paths.rfq, request);
      expect(quote).toMatchObject({ receiving_amount: 122.82 });
    },
  );

  it("are given to whoever has the corridor", async () => {
    const sent = ["USD", "MATIC_POLYGON", "receiving", "0.67", "0.26"] as const;
    const receiving_amount = "1.000000000000000001";
    const request = { ...(await globex.transfer("USD", "MATIC_POLYGON")), receiving_amount };
    const expected = quoteAnswer([...sent, "0.41", receiving_amount]);
    expect(exact(await globex.post(paths.rfq, request))).toEqual(expected);
  });
});

type Wire = Record<string, unknown>;
type Paid = { readonly row: Quoted; readonly quote: Quote; readonly payoutId: string };

const referenceOf = (at: number) => `order-${at}`;
const methodOf = (destination: string) => methods.get(destination) ?? "CRYPTO";
const methods = new Map([
  ["INR", "LOCAL"],
  ["EUR", "SEPA"],
  ["USD", "ACH"],
  ["USDC", "ACH"],
]);
const names = new Map([["INR", "Rao Exports Private Limited"]]);
const accounts = new Map([
  ["INR", "**********6789"],
  ["EUR", "******************3000"],
  ["USD", "******7890"],
  ["USDC", "******7890"],
]);
const noFailure = { failure_code: "", failure_message: "", rail_code: "", returned_reference: "" };
/** The creator of all records of this test. */
const created_by = {
  id: expect.stringMatching(/^[0-9A-Za-z]{8}$/),
  type: "api_key",
  name: "sandbox key of acme",
};
/** Masks all but the end of an address and keeps its length. */
const addressMask = expect.stringMatching(/^\*{28,}[0-9A-Za-z]{4}$/);

async function list(query = "") {
  return acme.data("GET", `${paths.payouts}${query}`);
}

describe("payouts", () => {
  const paid: Paid[] = [];
  beforeAll(async () => {
    for (const [at, row] of quoted.entries()) {
      const [source, destination, fixed, sent, , , receiving] = row;
      const amount = fixed === "source" ? sent : receiving;
      const quote = await acme.quote(source, destination, { [`${fixed}_amount`]: amount });
      const request = { quote_id: quote.id, reference_id: referenceOf(at) };
      const executed = await acme.post(paths.execute, request);
      const answer = { data: { id: id("po"), message: "Transaction Queued" } };
      expect([executed.status, executed.json]).toEqual([200, answer]);
      paid.push({ row, quote, payoutId: executed.json.data.id });
    }
    const counts = { none: paid.length, initiated: 0, succeeded: paid.length };
    await vi.waitFor(
      async () => {
        for (const [status, count] of Object.entries(counts)) {
          const { meta_data } = await list(status === "none" ? "" : `?status=${status}`);
          expect([status, meta_data.total_count]).toEqual([status, count]);
        }
      },
      { timeout: 20_000, interval: 100 },
    );
  }, 60_000);

  it("are read with every field", async () => {
    for (const [at, { row, quote, payoutId }] of paid.entries()) {
      const [source, destination, fixed, sent, fees, , receiving] = row;
      const { data } = exact(await acme.get(`${paths.payouts}/${payoutId}`));
      expect(data).toEqual({
        id: payoutId,
        reference_id: referenceOf(at),
        status: "succeeded",
        sub_status: "settled",
        parent_id: platform.sandbox.merchants.acme.merchant_id,
        quote_id: quote.id,
        corridor_id: quote.corridor_id,
        source_currency_code: source,
        destination_currency_code: destination,
        beneficiary_id: await acme.recipient(destination),
        source_amount: digits(sent),
        receiving_amount: digits(receiving),
        exchange_rate: digits(rateOf(source, destination)),
        total_fees: digits(fees),
        fixed_cost_currency: source,
        unique_transaction_reference: expect.stringMatching(/^[0-9A-Za-z]{12,100}$/),
        ...noFailure,
        account_id: platform.accountId("acme", source),
        receiving_fixed: fixed === "receiving",
        metadata: {},
        ...{ reissue_of: "", reissued_as: "", batch_id: "", scheduled_payout_id: "" },
        expected_settlement_at: time,
        created_by,
        ...times,
      });
    }
  });

  it("are listed newest first, with every field", async () => {
    const { data } = exact(await acme.get(`${paths.payouts}?limit=100`));
    const expected = paid.map(async ({ row, payoutId }, at) => {
      const [, destination, , sent, , , receiving] = row;
      const payout = await acme.data("GET", `${paths.payouts}/${payoutId}`);
      const reference = payout.unique_transaction_reference;
      const method = methodOf(destination);
      const name = names.get(destination) ?? "Jane Doe";
      return {
        id: payoutId,
        title: name,
        sub_title: `${destination} ${method}`,
        status: "succeeded",
        sub_status: "settled",
        transaction_type: "payout_session",
        transfer_method: method,
        transfer_type: "debit",
        transaction_hash: method === "CRYPTO" ? reference : "",
        bank_reference_number: method === "CRYPTO" ? "" : reference,
        beneficiary_name: name,
        beneficiary_account_number: accounts.get(destination) ?? addressMask,
        reference_note: referenceOf(at),
        beneficiary_id: payout.beneficiary_id,
        total_cost: digits(sent),
        amount: {
          source_amount: sent,
          receiving_amount: receiving,
          source_amount_currency: { name: expect.any(String), symbol: expect.any(String) },
          receiving_amount_currency: { name: expect.any(String), symbol: expect.any(String) },
        },
        ...noFailure,
        account_id: payout.account_id,
        metadata: {},
        ...{ batch_id: "", scheduled_payout_id: "" },
        created_by,
        created_at: payout.created_at,
        updated_at: payout.updated_at,
      };
    });
    expect(data.transactions).toEqual((await Promise.all(expected)).reverse());
    const meta = { total_count: digits(String(paid.length)), next_cursor: "" };
    expect(data.meta_data).toEqual(meta);
    expect(JSON.stringify(data)).toContain('{"name":"US Dollar","symbol":"$"}');
    expect(JSON.stringify(data)).toContain('"symbol":"USDC_SOL"');
  });

  it.each(["", "?limit=7", "?limit=1"])("come page by page by %s", async (query) => {
    const size = query === "" ? 20 : Number(query.slice("?limit=".length));
    const seen: string[] = [];
    let cursor = "";
    do {
      const next = cursor === "" ? query : `${query === "" ? "?" : `${query}&`}cursor=${cursor}`;
      const { transactions, meta_data } = await list(next);
      expect(transactions).toHaveLength(Math.min(size, paid.length - seen.length));
      expect(meta_data.total_count).toBe(paid.length);
      seen.push(...transactions.map((each: Wire) => each.id));
      cursor = meta_data.next_cursor;
    } while (cursor !== "");
    expect(seen).toEqual(paid.map(({ payoutId }) => payoutId).reverse());
  });

  it("are filtered", async () => {
    const ids = (keep: (each: Paid) => boolean) =>
      paid.filter(keep).map(({ payoutId }) => payoutId);
    const third = paid[2];
    if (third === undefined) throw new Error("nothing was paid");
    const { created_at } = await acme.data("GET", `${paths.payouts}/${third.payoutId}`);
    const later = paid.indexOf(third);
    const everyone = paid.map(({ payoutId }) => payoutId);
    const cases: [filter: string, expected: string[]][] = [
      ["status=succeeded", everyone],
      ["status=failed", []],
      [`beneficiary_id=${await acme.recipient("INR")}`, ids(({ row }) => row[1] === "INR")],
      ["beneficiary_id=ben_none", []],
      [`reference_id=${referenceOf(3)}`, everyone.slice(3, 4)],
      ["reference_id=order", []],
      [`quote_id=${third.quote.id}`, [third.payoutId]],
      ["source_currency_code=USDC_ETH", ids(({ row }) => row[0] === "USDC_ETH")],
      ["destination_currency_code=BTC", ids(({ row }) => row[1] === "BTC")],
      [
        "source_currency_code=USD&destination_currency_code=BTC&status=succeeded",
        ids(({ row: [source, destination] }) => source === "USD" && destination === "BTC"),
      ],
      [`created_from=${created_at}`, everyone.slice(later)],
      [`created_to=${created_at}`, everyone.slice(0, later)],
      ["created_from=2020-01-01&created_to=2020-01-02", []],
    ];
    for (const [filter, expected] of cases) {
      const { transactions, meta_data } = await list(`?limit=100&${filter}`);
      const found = transactions.map((each: Wire) => each.id);
      expect([filter, ...found]).toEqual([filter, ...expected.toReversed()]);
      expect([filter, meta_data.total_count]).toEqual([filter, expected.length]);
    }
  });

  it.each(["USD", "USDC_ETH", "BTC"])("leave the %s account exactly right", async (currency) => {
    const account = platform.accountId("acme", currency);
    const funds = platform.sandbox.accounts.find((each) => each.account_id === account)?.available;
    const costs = quoted.filter(([source]) => source === currency).map(([, , , sent]) => sent);
    const left = costs.reduce(
      (sum, cost) => sum - readAmount(cost, currency),
      readAmount(funds ?? "", currency),
    );
    const available = digits(formatAmount(left, currency));
    const held = digits(formatAmount(0n, currency));
    const { data } = exact(await acme.get(`${paths.accounts}/${account}`));
    expect(data).toEqual({
      id: account,
      name: "",
      currency_code: currency,
      available,
      held,
      closed_at: "",
      top_up_instructions: "",
      ...times,
    });
    const steps = ["credit", ...costs.flatMap(() => ["hold", "post"])].sort();
    const statement = exact(await acme.get(`${paths.accounts}/${account}/entries?limit=100`));
    const entries = statement.data.entries as Wire[];
    expect(entries.map(({ step }) => step).sort()).toEqual(steps);
    expect(entries[0]).toMatchObject({ account_id: account, available, held });
    const past = [...entries.slice(1).map(({ hash }) => hash), ""];
    expect(entries.map(({ previous_hash }) => previous_hash)).toEqual(past);
    const [oldest] = entries.slice(-1).map(({ created_at }) => created_at as string);
    const opened = exact(await acme.get(`${paths.accounts}/${account}?as_of=${oldest}`));
    expect(opened.data).toMatchObject({ available: digits(funds ?? ""), updated_at: oldest });
    const ofPosts = await acme.data("GET", `${paths.accounts}/${account}/entries?step=post`);
    expect(ofPosts.meta_data.total_count).toBe(costs.length);
    const { text } = await acme.get(`${paths.accounts}/${account}/entries.csv`);
    const textOf = (value: unknown) => (value instanceof ExactNumber ? value.text : value);
    const lines = entries.map((entry) => Object.values(entry).map(textOf).join(","));
    expect(text.split("\r\n")).toEqual([Object.keys(entries[0] ?? {}).join(), ...lines, ""]);
  });
});
