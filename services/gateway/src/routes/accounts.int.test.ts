import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { describe, expect, it } from "vitest";
import { at, times, useCalls, wireAt, wireTimes } from "./test-calls.ts";

const calls = useCalls();

const account = {
  ...{ id: "acc_1", merchantId: "mer_1", currencyCode: "USD" },
  ...{ available: "1000000.00", held: "0.10", ...times },
};

describe("accounts", () => {
  const wireAccount = {
    ...{ id: "acc_1", currency_code: "USD", available: 1_000_000, held: 0.1, ...wireTimes },
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
    expect(calls.asked()).toMatchObject([
      { merchantId: calls.merchantId(), limit: 20, cursor: "c1" },
      { merchantId: calls.merchantId(), accountId: "acc_1" },
    ]);
    const { text } = await calls.ask({ path: "/api/v1/transfer/accounts/acc_1" });
    expect(text).toContain('"available":1000000.00,"held":0.10');
  });

  it("have a statement", async () => {
    const entry = {
      ...{ id: "po_1:hold", accountId: "acc_1", sequence: 2n, step: LedgerStep.HOLD },
      ...{ currencyCode: "USD", amount: "100.10", available: "899.90", held: "100.10" },
      ...{ payoutId: "po_1", note: "", createdAt: at },
    };
    calls.fakes().payout.listEntries = calls.replying({
      entries: [entry],
      totalCount: 2n,
      nextCursor: "c2",
    });
    const path = "/api/v1/transfer/accounts/acc_1/entries?limit=1&cursor=c1";
    expect(await calls.data({ path })).toEqual({
      entries: [
        {
          ...{ id: "po_1:hold", account_id: "acc_1", sequence: 2, step: "hold" },
          ...{ currency_code: "USD", amount: 100.1, available: 899.9, held: 100.1 },
          ...{ payout_id: "po_1", note: "", created_at: wireAt },
        },
      ],
      meta_data: { total_count: 2, next_cursor: "c2" },
    });
    expect(calls.asked()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      accountId: "acc_1",
      limit: 1,
      cursor: "c1",
    });
  });
});
