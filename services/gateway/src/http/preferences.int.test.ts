import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { beforeEach, expect, it } from "vitest";
import { at, times, useCalls } from "../test-calls.ts";

const calls = useCalls();
const rfq = "/api/v1/transfer/rfq";
const body = '{"source_amount":"10","beneficary_id":"ben_1","account_id":"acc_1","scheduled_at":1}';

const quote = {
  ...{ id: "qt_1", merchantId: "mer_1", sourceAmount: "9007199254740993.10", totalFees: "0.37" },
  ...{ convertedAmount: "1.00", receivingAmount: "1000.00", exchangeRate: "83.1234567891" },
  ...times,
  expiredAt: at,
};

beforeEach(() => {
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

it("names an unknown field of any name, in ASCII", async () => {
  const body = '{"é":1,"a.b":1}';
  const { headers } = await calls.ask({ path: rfq, body });
  expect(headers["disburse-ignored-fields"]).toBe("%C3%A9, a%2Eb");
  const strict = await calls.ask({ path: rfq, body, headers: { "disburse-strict": "true" } });
  expect(strict.json).toMatchObject({
    message: "%C3%A9: is not known here; a%2Eb: is not known here",
    violations: [
      { field: "%C3%A9", rule: "unknown" },
      { field: "a%2Eb", rule: "unknown" },
    ],
  });
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

it("names an unknown field with the missing one that it is in another case", async () => {
  calls.fakes().quote.createQuote = () => {
    throw refusalError(publicRefusals, refused("INVALID_REQUEST", "account_id: is required"));
  };
  const { json } = await calls.ask({ path: rfq, body: '{"accountId":"acc_1"}' });
  expect(json).toEqual({
    code: "INVALID_REQUEST",
    message: "account_id: is required",
    violations: [
      {
        ...{ field: "account_id", rule: "required" },
        message: "is required, and accountId is not known here",
      },
    ],
  });
});

it("names the kind of an id that is not found because it is of another kind", async () => {
  calls.fakes().quote.createQuote = () => {
    throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
  };
  const accountId = "po_01hqz0000000000000000000ab";
  const { json } = await calls.ask({ path: rfq, body: JSON.stringify({ account_id: accountId }) });
  expect(json).toEqual({
    code: "RECORD_NOT_FOUND",
    message: "Unable to find the record requested.",
    violations: [
      {
        ...{ field: "account_id", rule: "format" },
        message: "is the id of a payout, not of an account",
      },
    ],
  });
});

it("warns of a quote outside the corridor's limits, also in a repeat", async () => {
  const limits = { sourceMin: "1.00", sourceMax: "100.00" };
  calls.fakes().quote.createQuote = calls.replying({ quote, exceededLimits: limits });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const ask = () => calls.ask({ path: rfq, body: "{}", headers });
  const [first, again] = [await ask(), await ask()];
  const warning =
    "execution of this quote is refused: the corridor requires source_amount at least 1.00, source_amount at most 100.00";
  expect([first.status, first.headers["disburse-warnings"]]).toEqual([200, warning]);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(again.headers["disburse-warnings"]).toBe(warning);
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
