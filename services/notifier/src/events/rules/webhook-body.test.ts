import { ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { describe, expect, it } from "vitest";
import {
  merchantEventBody,
  type PayoutSnapshot,
  payoutBody,
  sandboxData,
  testBody,
} from "./webhook-body.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const payout: PayoutSnapshot = {
  id: "po_1",
  referenceId: 'order "7"\u2028é',
  status: "succeeded",
  merchantId: "mer_1",
  quoteId: "qt_1",
  corridorId: "cor_1",
  sourceCurrencyCode: "USD",
  destinationCurrencyCode: "ETH",
  beneficiaryId: "ben_1",
  sourceAmount: "100.10",
  receivingAmount: "0.029999999999999999",
  exchangeRate: "0.0003000000",
  totalFees: "0.00",
  uniqueTransactionReference: "0xabc",
  subStatus: "settled",
  failureCode: "",
  returnedReference: "",
  createdAt: new Date("2026-11-20T11:26:00.123Z"),
  updatedAt: new Date("2026-11-20T11:26:01.000Z"),
};

describe("webhook body", () => {
  it("is a payout's, in the interface's order, with every digit", () => {
    expect(text(payoutBody(payout))).toBe(
      '{"transaction_type":"payout_session","transaction_id":"po_1","data":{"id":"po_1",' +
        '"reference_id":"order \\"7\\"\u2028é","status":"succeeded","merchant_id":"mer_1",' +
        '"quote_id":"qt_1","corridor_id":"cor_1","source_currency_code":"USD",' +
        '"destination_currency_code":"ETH","beneficiary_id":"ben_1","source_amount":100.10,' +
        '"receiving_amount":0.029999999999999999,"exchange_rate":0.0003000000,' +
        '"total_fees":0.00,"fixed_cost_currency":"USD","unique_transaction_reference":"0xabc",' +
        '"created_at":"2026-11-20T11:26:00.123Z","updated_at":"2026-11-20T11:26:01.000Z",' +
        '"sub_status":"settled","failure_code":"","returned_reference":""}}',
    );
  });

  it("names the creator at the end, unless its event has none", () => {
    const createdBy = { id: "key_1", type: "api_key", name: "ERP" };
    expect(text(payoutBody({ ...payout, createdBy }))).toBe(
      text(payoutBody(payout)).replace(
        /}}$/,
        ',"created_by":{"id":"key_1","type":"api_key","name":"ERP"}}}',
      ),
    );
  });

  it.each(["", "1e400", "NaN", '1,"x":2', "0x1"])("throws on the amount %j", (sourceAmount) => {
    expect(() => payoutBody({ ...payout, sourceAmount })).toThrow();
  });

  it("passes a publisher's data through byte for byte", () => {
    const data = '{ "amount" : 1.10e2,\n "b":9007199254740993 , "id":"ps_1"}';
    expect(text(merchantEventBody("payment_session", "ps_1", data))).toBe(
      `{"transaction_type":"payment_session","transaction_id":"ps_1","data":${data}}`,
    );
    expect(parseExactJson(text(merchantEventBody("refund", 'r"1', data)))).toMatchObject({
      transaction_id: 'r"1',
      data: { b: new ExactNumber("9007199254740993") },
    });
  });

  it("frames a test event like any other", () => {
    const createdAt = new Date("2026-11-20T00:00:00Z");
    const body = testBody({
      eventId: "evt_1",
      merchantId: "mer_1",
      endpointId: "whe_1",
      createdAt,
    });
    expect(JSON.parse(text(body))).toMatchObject({
      transaction_type: "webhook_test",
      transaction_id: "evt_1",
      data: { id: "evt_1", status: "test", endpoint_id: "whe_1" },
    });
  });
});

const example =
  '{"id":"po_1","status":"succeeded","merchant_id":"mer_x","amount":250.00,"note":""}';
const chosen = { merchantId: "mer_1", transactionId: "", status: "", data: {} };

it.each([
  [{}, '{"id":"po_1","status":"succeeded","merchant_id":"mer_1","amount":250.00,"note":""}'],
  [
    { transactionId: "po_2", status: "failed", data: { note: "late", amount: "12.10" } },
    '{"id":"po_2","status":"failed","merchant_id":"mer_1","amount":12.10,"note":"late"}',
  ],
  [
    { data: { id: "po_3", status: "failed", more: "7", amount: "much" } },
    '{"id":"po_3","status":"failed","merchant_id":"mer_1","amount":"much","note":"","more":"7"}',
  ],
])("with %j the example becomes %s", (change, dataJson) => {
  const { id: transactionId, status } = JSON.parse(dataJson);
  expect(sandboxData(example, { ...chosen, ...change })).toEqual({
    ...{ transactionId, status, dataJson },
  });
});

it("an example that is no object makes none", () => {
  expect(sandboxData("[]", chosen)).toBeUndefined();
});
