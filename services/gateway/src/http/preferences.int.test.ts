import { beforeEach, expect, it } from "vitest";
import { at, times, useCalls } from "../test-calls.ts";

const calls = useCalls();
const rfq = "/api/v1/transfer/rfq";
const body = '{"source_amount":"10","beneficary_id":"ben_1","account_id":"acc_1","scheduled_at":1}';

beforeEach(() => {
  const quote = {
    ...{ id: "qt_1", merchantId: "mer_1", sourceAmount: "9007199254740993.10", totalFees: "0.37" },
    ...{ convertedAmount: "1.00", receivingAmount: "1000.00", exchangeRate: "83.1234567891" },
    ...times,
    expiredAt: at,
  };
  calls.fakes().quote.createQuote = calls.replying({ quote });
  calls.fakes().payout.listAccounts = calls.replying({
    accounts: [{ id: "acc_1", currencyCode: "USD", available: "0.10", held: "0.00", ...times }],
    totalCount: 1n,
  });
});

it("names the ignored fields of a body in the sandbox", async () => {
  const { status, headers } = await calls.ask({ path: rfq, body });
  expect([status, headers["disburse-ignored-fields"]]).toEqual([
    200,
    "beneficary_id, scheduled_at",
  ]);
  const known = await calls.ask({ path: rfq, body: '{"source_amount":"10"}' });
  expect(known.headers["disburse-ignored-fields"]).toBeUndefined();
});

it("refuses it where the caller is strict, and calls no service", async () => {
  const headers = { "disburse-strict": "true" };
  const { status, json } = await calls.ask({ path: rfq, body, headers });
  expect([status, json]).toEqual([
    400,
    {
      code: "INVALID_REQUEST",
      message:
        "beneficary_id: is not known here, did you mean beneficiary_id?; " +
        "scheduled_at: is not known here",
      violations: [
        {
          ...{ field: "beneficary_id", rule: "unknown" },
          message: "is not known here, did you mean beneficiary_id?",
        },
        { field: "scheduled_at", rule: "unknown", message: "is not known here" },
      ],
    },
  ]);
  expect(calls.requests()).toEqual([]);
});

it("answers amounts as strings of the same digits, and counts as numbers", async () => {
  const headers = { "disburse-amounts": "string" };
  const { text } = await calls.ask({ path: rfq, body: "{}", headers });
  expect(text).toContain('"source_amount":"9007199254740993.10","exchange_rate":"83.1234567891"');
  const list = await calls.ask({ path: "/api/v1/transfer/accounts", headers });
  expect(list.text).toContain('"available":"0.10"');
  expect(list.text).toContain('"total_count":1');
});

it("repeats an answer in the form that each caller prefers", async () => {
  const key = { "idempotency-key": "preferences-1" };
  const first = await calls.ask({
    ...{ path: rfq, body: "{}" },
    headers: { ...key, "disburse-amounts": "string" },
  });
  const again = await calls.ask({ path: rfq, body: "{}", headers: key });
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(first.text).toContain('"total_fees":"0.37"');
  expect(again.text).toContain('"total_fees":0.37');
});

it.each([
  ["disburse-amounts", "text", "Disburse-Amounts: must be one of number, string"],
  ["disburse-strict", "1", "Disburse-Strict: must be one of false, true"],
])("refuses %s: %s", async (name, value, message) => {
  const { status, json } = await calls.ask({ path: rfq, body: "{}", headers: { [name]: value } });
  expect([status, json]).toMatchObject([400, { code: "INVALID_REQUEST", message }]);
  expect(calls.requests()).toEqual([]);
});

it.each([
  ["/api/v1/transfer/payouts?limi=3", "limi: is not known here, did you mean limit?"],
  ["/api/v1/transfer/payouts/po_1?expand=x", "expand: is not known here, did you mean expand[]?"],
  ["/api/v1/webhooks/endpoints?merchant_id=mer_2", "merchant_id: is not known here"],
])("refuses a parameter that is not known: %s", async (path, message) => {
  const { status, json } = await calls.ask({ path });
  expect([status, json]).toMatchObject([400, { code: "INVALID_REQUEST", message }]);
  expect(calls.requests()).toEqual([]);
});
