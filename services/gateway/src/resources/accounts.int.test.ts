import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  LedgerStep,
  type UpdateAccountRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { describe, expect, it } from "vitest";
import { at, times, useCalls, wireAt, wireTimes } from "../test-calls.ts";

const calls = useCalls();

const account = {
  ...{ id: "acc_1", merchantId: "mer_1", currencyCode: "USD" },
  ...{ available: "1000000.00", held: "0.10", ...times },
};

describe("accounts", () => {
  const wireAccount = {
    ...{ id: "acc_1", name: "", currency_code: "USD", available: 1_000_000, held: 0.1 },
    ...{ closed_at: "", top_up_instructions: "", ...wireTimes },
  };

  it("are listed and read with what is available and held", async () => {
    calls.fakes().payout.listAccounts = calls.replying({
      accounts: [account],
      totalCount: 21n,
      nextCursor: "c2",
    });
    calls.fakes().payout.getAccount = calls.replying({ account });
    const path = "/api/v1/transfer/accounts?limit=20&cursor=c1";
    expect(await calls.data({ path })).toEqual({
      accounts: [wireAccount],
      meta_data: { total_count: 21, next_cursor: "c2" },
    });
    expect(await calls.data({ path: "/api/v1/transfer/accounts/acc_1" })).toEqual(wireAccount);
    expect(calls.requests()).toMatchObject([
      { merchantId: calls.merchantId(), limit: 20, cursor: "c1" },
      { merchantId: calls.merchantId(), accountId: "acc_1" },
    ]);
    const { text } = await calls.ask({ path: "/api/v1/transfer/accounts/acc_1" });
    expect(text).toContain('"available":1000000.00,"held":0.10');
  });

  it("have settings that a merchant changes, each alone", async () => {
    const changed = { ...account, name: "Payroll", lowBalanceThreshold: "500.00" };
    calls.fakes().payout.updateAccount = calls.replying({ account: changed });
    const path = "/api/v1/transfer/accounts/acc_1";
    const patch = (body: string) => calls.data({ path, method: "PATCH", body });
    const shown = { ...wireAccount, name: "Payroll", low_balance_threshold: 500 };
    expect(await patch('{"name":"Payroll","low_balance_threshold":500.00}')).toEqual(shown);
    await patch('{"low_balance_threshold":""}');
    await patch('{"name":null,"low_balance_threshold":"1e2"}');
    const [all, removed, unreadable] = calls.requests() as UpdateAccountRequest[];
    expect(all).toMatchObject({ accountId: "acc_1", name: "Payroll" });
    expect(all?.lowBalanceThreshold).toBe("500.00");
    expect([removed?.name, removed?.lowBalanceThreshold]).toEqual([undefined, ""]);
    expect([unreadable?.name, unreadable?.unreadable]).toMatchObject([
      undefined,
      [{ field: "low_balance_threshold", problem: "must be a decimal number" }],
    ]);
  });

  it("are closed once they are empty", async () => {
    calls.fakes().payout.closeAccount = calls.replying({ account: { ...account, closedAt: at } });
    const path = "/api/v1/transfer/accounts/acc_1/close";
    expect(await calls.data({ path, body: "" })).toEqual({ ...wireAccount, closed_at: wireAt });
    expect(calls.requests()).toMatchObject([{ accountId: "acc_1" }]);
  });

  it("are read as of a time", async () => {
    calls.fakes().payout.getAccount = calls.replying({ account });
    const path = "/api/v1/transfer/accounts/acc_1";
    await calls.data({ path: `${path}?as_of=${wireAt}` });
    expect(calls.requests()).toMatchObject([{ accountId: "acc_1", asOf: at }]);
    const { status, json } = await calls.ask({ path: `${path}?as_of=yesterday` });
    expect([status, json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(calls.requests()).toHaveLength(1);
  });

  it("have a statement", async () => {
    const entry = {
      ...{ id: "po_1:hold", accountId: "acc_1", sequence: 2n, step: LedgerStep.HOLD },
      ...{ currencyCode: "USD", amount: "100.10", available: "899.90", held: "100.10" },
      ...{ payoutId: "po_1", note: "", createdAt: at, previousHash: "aa", hash: "bb" },
      postings: [
        { account: "available", currencyCode: "USD", amount: "-100.1" },
        { account: "held", currencyCode: "USD", amount: "100.1" },
      ],
    };
    calls.fakes().payout.listEntries = calls.replying({
      entries: [entry],
      totalCount: 2n,
      nextCursor: "c2",
    });
    const filters = "step=hold&payout_id=po_1&created_from=2026-11-20&created_to=2026-11-21";
    const path = `/api/v1/transfer/accounts/acc_1/entries?limit=1&cursor=c1&${filters}`;
    expect(await calls.data({ path })).toEqual({
      entries: [
        {
          ...{ id: "po_1:hold", account_id: "acc_1", sequence: 2, step: "hold" },
          ...{ currency_code: "USD", amount: 100.1, available: 899.9, held: 100.1 },
          ...{ available_change: -100.1, held_change: 100.1, total_fees: 0 },
          ...{ payout_id: "po_1", note: "", reverses: "", previous_hash: "aa", hash: "bb" },
          ...{ scheduled_payout_id: "", created_at: wireAt },
        },
      ],
      meta_data: { total_count: 2, next_cursor: "c2" },
    });
    expect(calls.requests()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      accountId: "acc_1",
      limit: 1,
      cursor: "c1",
      step: LedgerStep.HOLD,
      payoutId: "po_1",
      createdFrom: timestampFromDate(new Date("2026-11-20T00:00:00Z")),
      createdTo: timestampFromDate(new Date("2026-11-21T00:00:00Z")),
    });
  });

  it("show the fees of a post, and nothing else of the platform", async () => {
    const entry = {
      ...{ id: "po_1:post", accountId: "acc_1", sequence: 3n, step: LedgerStep.POST },
      ...{ currencyCode: "USD", amount: "100.10", available: "899.90", held: "0.00" },
      postings: [
        { account: "held", currencyCode: "USD", amount: "-100.1" },
        { account: "platform:fees", currencyCode: "USD", amount: "0.5" },
        { account: "platform:exchange", currencyCode: "USD", amount: "99.6" },
        { account: "platform:exchange", currencyCode: "INR", amount: "-8278.2213" },
        { account: "platform:settlement", currencyCode: "INR", amount: "8278.22" },
        { account: "platform:rounding", currencyCode: "INR", amount: "0.0013" },
      ],
    };
    calls.fakes().payout.listEntries = calls.replying({ entries: [entry], totalCount: 1n });
    const { text } = await calls.ask({ path: "/api/v1/transfer/accounts/acc_1/entries" });
    expect(text).toContain('"available_change":0.00,"held_change":-100.10,"total_fees":0.50');
    expect(text).not.toMatch(/platform:|INR|8278/);
  });
});
