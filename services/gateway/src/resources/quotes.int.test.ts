import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { at, times, useCalls, wireAt } from "../test-calls.ts";

const calls = useCalls();

const quote = {
  ...{ id: "qt_1", merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR" },
  ...{ sourceAmount: "9007199254740993.12", convertedAmount: "9007199254740992.75" },
  ...{ totalFees: "0.37", receivingAmount: "1000.00", exchangeRate: "83.1234567891" },
  ...times,
  expiredAt: at,
};

describe("quotes", () => {
  beforeEach(() => {
    calls.fakes().quote.createQuote = calls.replying({ quote });
    calls.fakes().quote.getQuote = calls.replying({ quote });
  });

  it("go out and come in with every digit", async () => {
    const body =
      '{"source_amount":9007199254740993.12,"beneficiary_id":"ben_1","source_currency_code":' +
      '"USD","destination_currency_code":"INR","account_id":"acc_1","merchant_id":"mer_forged"}';
    const { text } = await calls.ask({ path: "/api/v1/transfer/rfq", body });
    expect(calls.requests()[0]).toMatchObject({
      sourceAmount: "9007199254740993.12",
      receivingAmount: "",
    });
    expect(calls.requests()[0]).toMatchObject({
      merchantId: calls.merchantId(),
      accountId: "acc_1",
      unreadable: [],
    });
    expect(calls.requests()[0]).toMatchObject({
      mutation: { actor: { kind: Actor_Kind.API_KEY, id: calls.keyId() } },
    });
    expect(text).toBe(
      '{"data":{"id":"qt_1","corridor_id":"cor_1","source_currency_code":"USD",' +
        '"destination_currency_code":"INR","source_amount":9007199254740993.12,' +
        '"exchange_rate":83.1234567891,"receiving_amount":1000.00,"total_fees_currency":"USD",' +
        '"total_fees":0.37,"converted_amount":9007199254740992.75,' +
        `"created_at":"${wireAt}","updated_at":"${wireAt}","expired_at":"${wireAt}","metadata":{}}}`,
    );
  });

  it("pass unreadable fields to the quote service", async () => {
    const body = '{"source_amount":[1],"beneficiary_id":{"$ne":null},"account_id":"acc_1"}';
    await calls.ask({ path: "/api/v1/transfer/rfq", body });
    expect(calls.requests()[0]).toMatchObject({
      sourceAmount: "",
      accountId: "acc_1",
      unreadable: [
        { field: "source_amount", problem: "must be a string or a number" },
        { field: "beneficiary_id", problem: "must be a string" },
      ],
    });
  });

  it("never pass an empty amount on as one that was not sent", async () => {
    const body = '{"source_amount":"","receiving_amount":"10","account_id":"acc_1"}';
    await calls.ask({ path: "/api/v1/transfer/rfq", body });
    expect(calls.requests()[0]).toMatchObject({
      receivingAmount: "10",
      unreadable: [{ field: "source_amount", problem: "must be a decimal number" }],
    });
  });

  it("warn of a receiving amount that is ignored", async () => {
    const amounts = { source_amount: "5", receiving_amount: "10" };
    const warned = async (change: object) => {
      const body = JSON.stringify({ ...amounts, account_id: "acc_1", ...change });
      const { headers } = await calls.ask({ path: "/api/v1/transfer/rfq", body });
      return headers["disburse-warnings"];
    };
    expect(await warned({})).toBe(
      "receiving_amount was ignored, because source_amount was sent too",
    );
    expect(await warned({ receiving_amount: undefined })).toBeUndefined();
  });

  it("are read under any host name", async () => {
    const headers = { host: "[" };
    expect(await calls.data({ path: "/api/v1/transfer/quotes/qt_1", headers })).toBeDefined();
  });

  it("are read by their merchant", async () => {
    expect(await calls.data({ path: "/api/v1/transfer/quotes/qt%201" })).toMatchObject({
      id: "qt_1",
    });
    expect(calls.requests()[0]).toMatchObject({ merchantId: calls.merchantId(), quoteId: "qt 1" });
  });

  it("have corridors, with limits, fees and the current rate", async () => {
    const corridor = {
      ...{ id: "cor_1", sourceCurrencyCode: "USD", destinationCurrencyCode: "INR", active: true },
      ...{ feeShare: "0.005", feeFlat: "0.30" },
    };
    const limits = { sourceMin: "1.00", sourceMax: "100000.00", receivingMin: "" };
    const rate = { rate: "83.1234567891", asOf: at };
    const bank = { rail: "bank", transferMethod: "LOCAL", network: "" };
    const rails = [
      { ...bank, cutOff: "16:00 Asia/Kolkata", settlementSeconds: 3_600n },
      { ...bank, rail: "other", cutOff: "" },
    ];
    calls.fakes().quote.listCorridors = calls.replying({
      corridors: [
        { ...corridor, limits, rate, rails },
        { ...corridor, active: false, rails: [] },
      ],
      totalCount: 2n,
    });
    const path = "/api/v1/transfer/corridors?limit=2&cursor=c1";
    const { text } = await calls.ask({ path });
    expect(text).toBe(
      '{"data":{"corridors":[{"id":"cor_1","source_currency_code":"USD",' +
        '"destination_currency_code":"INR","active":true,"fees":{"share":0.005,"flat":0.30},' +
        '"limits":{"source_amount_min":1.00,"source_amount_max":100000.00},' +
        `"exchange_rate":83.1234567891,"rate_as_of":"${wireAt}",` +
        '"rails":[{"rail":"bank","transfer_method":"LOCAL","network":"",' +
        '"cut_off":"16:00 Asia/Kolkata","settlement_seconds":3600},' +
        '{"rail":"other","transfer_method":"LOCAL","network":"","cut_off":""}]},' +
        '{"id":"cor_1","source_currency_code":"USD","destination_currency_code":"INR",' +
        '"active":false,"fees":{"share":0.005,"flat":0.30},"limits":{},"rate_as_of":"","rails":[]}],' +
        '"meta_data":{"total_count":2,"next_cursor":""}}}',
    );
    const merchantId = calls.merchantId();
    expect(calls.requests()[0]).toMatchObject({ merchantId, limit: 2, cursor: "c1" });
  });
});
