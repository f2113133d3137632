import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { depositorBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});

const usd = { source_amount: "10.00" };
const hook = { url: "http://127.0.0.1:9/hook" };

describe("another merchant's records", () => {
  const mine: Record<string, string> = {};
  beforeAll(async () => {
    mine.account = platform.accountId("acme", "USD");
    mine.endpoint = (await acme.data("POST", paths.endpoints, hook)).id;
    mine.beneficiary = await acme.recipient("USD");
    mine.depositor = (await acme.data("POST", paths.depositor, depositorBody("individual"))).id;
    mine.quote = (await acme.quote("USD", "USD", usd)).id;
    mine.payout = await acme.pay("mine");
    await vi.waitFor(async () => {
      const created = await acme.data("GET", `${paths.deliveries}?transaction_id=${mine.payout}`);
      mine.delivery = created.deliveries[0].id;
    }, 60_000);
  });

  const routes: [string, string][] = [
    ["GET", `${paths.beneficiaries}/{beneficiary}`],
    ["GET", `${paths.depositor}/{depositor}`],
    ["GET", `${paths.quotes}/{quote}`],
    ["GET", `${paths.payouts}/{payout}`],
    ["GET", `${paths.accounts}/{account}`],
    ["GET", `${paths.payouts}/{payout}/events`],
    ["GET", `${paths.accounts}/{account}?as_of=2026-11-20`],
    ["GET", `${paths.accounts}/{account}/entries`],
    ["GET", `${paths.accounts}/{account}/entries.csv`],
    ["GET", `${paths.endpoints}/{endpoint}`],
    ["PATCH", `${paths.endpoints}/{endpoint}`],
    ["DELETE", `${paths.endpoints}/{endpoint}`],
    ["POST", `${paths.endpoints}/{endpoint}/pause`],
    ["POST", `${paths.endpoints}/{endpoint}/resume`],
    ["POST", `${paths.endpoints}/{endpoint}/verify`],
    ["POST", `${paths.endpoints}/{endpoint}/rotate-secret`],
    ["POST", `${paths.endpoints}/{endpoint}/activate-secret`],
    ["POST", `${paths.endpoints}/{endpoint}/test`],
    ["GET", `${paths.deliveries}/{delivery}`],
    ["POST", `${paths.deliveries}/{delivery}/redeliver`],
  ];
  const notFound = {
    code: "RECORD_NOT_FOUND",
    message: "Unable to find the record requested.",
  };
  it.each(routes)("are not found by %s %s", async (method, path) => {
    const noun = /\{(\w+)\}/.exec(path)?.[1] ?? "";
    const body = method === "PATCH" ? { order: "strict" } : undefined;
    const theirs = path.replace(/\{\w+\}/, mine[noun] ?? "");
    const unknown = path.replace(/\{\w+\}/, "unknown_1");
    for (const target of [theirs, unknown]) {
      const answer = await globex.call(method, target, body);
      expect([answer.status, answer.json]).toEqual([404, notFound]);
    }
  });

  it("serve for no quote and no payout", async () => {
    const own = { ...usd, ...(await globex.transfer("USD", "USD")) };
    const tries: [string, object, number, string][] = [
      [paths.rfq, { ...own, account_id: mine.account }, 403, "ACCESS_FORBIDDEN"],
      [paths.rfq, { ...own, beneficiary_id: mine.beneficiary }, 404, "RECORD_NOT_FOUND"],
      [paths.execute, { quote_id: mine.quote }, 403, "ACCESS_FORBIDDEN"],
    ];
    for (const [route, body, status, code] of tries) {
      const answer = await globex.post(route, body);
      expect([answer.status, answer.json.code]).toEqual([status, code]);
    }
    const path = `${paths.accounts}/${mine.account}/entries?step=hold`;
    const { entries } = await acme.data("GET", path);
    const { id } = await acme.data("POST", paths.execute, { quote_id: mine.quote });
    expect(entries.map(({ payout_id }: { payout_id: string }) => payout_id)).not.toContain(id);
  });

  it.each([
    ["transactions", paths.payouts],
    ["transactions", `${paths.payouts}?beneficiary_id={beneficiary}`],
    ["transactions", `${paths.payouts}?quote_id={quote}`],
    ["transactions", `${paths.payouts}?reference_id=mine`],
    ["endpoints", paths.endpoints],
    ["deliveries", paths.deliveries],
    ["deliveries", `${paths.deliveries}?endpoint_id={endpoint}`],
    ["deliveries", `${paths.deliveries}?transaction_id={payout}`],
  ])("are in no list: %s of %s", async (name, path) => {
    const filled = path.replace(/\{(\w+)\}/, (_all, noun: string) => mine[noun] ?? "");
    const [theirs, ours] = [await globex.data("GET", filled), await acme.data("GET", filled)];
    expect(theirs[name]).toEqual([]);
    expect(ours[name].length).toBeGreaterThan(0);
    if (name === "transactions") expect(theirs.meta_data.total_count).toBe(0);
  });

  it("are as they were", async () => {
    expect(await acme.data("GET", `${paths.endpoints}/${mine.endpoint}`)).toMatchObject(hook);
  });
});
