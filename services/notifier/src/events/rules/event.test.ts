import { expect, it } from "vitest";
import { sessionData } from "../../test-session.ts";
import { dataJsonBytesMax, type PublishedEvent, publishedEventViolations } from "./event.ts";

const event: PublishedEvent = {
  eventId: "ps-1",
  merchantId: "mer_1",
  transactionType: "payment_session",
  transactionId: "ps_1",
  status: "initiated",
  sequence: 1n,
  dataJson: sessionData(),
  occurredAt: undefined,
};
const refund = { transactionType: "refund" };
const sized = (bytes: number): string => `{"x":"${"é".repeat((bytes - 8) / 2)}"}`;
const session = (change: Parameters<typeof sessionData>[0]) => ({ dataJson: sessionData(change) });
const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

it.each<[string, Partial<PublishedEvent>]>([
  ["all fields", {}],
  ["a session with fields of its own", session({ channel: '{"kind":[1.0]}' })],
  ["a session without an end", session({ expires_at: '""' })],
  [
    "times of any fraction and offset",
    session({ updated_at: '"2026-11-20T13:26:00.123456+02:00"' }),
  ],
  ["an amount of any digits", session({ amount: "12345678901234567890.10" })],
  ["a refund", { ...refund, dataJson: '{"id":"ps_1","status":"initiated","amount":"free"}' }],
  ["a refund that says nothing of id and status", { ...refund, dataJson: "{}" }],
  [
    "the longest texts",
    { ...refund, eventId: "~".repeat(128), status: "s".repeat(64), dataJson: "{}" },
  ],
  ["the largest sequence", { sequence: 9007199254740991n }],
  ["the largest data", { ...refund, dataJson: sized(dataJsonBytesMax) }],
  ["the deepest data", { ...refund, dataJson: nested(31) }],
])("accepts %s", (_name, change) => {
  expect(publishedEventViolations({ ...event, ...change })).toEqual([]);
});

it.each<[string, Partial<PublishedEvent>, string]>([
  ["event_id", { eventId: "" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a b" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a\r\nx: y" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a".repeat(129) }, "must be 1 to 128 printable characters"],
  ["merchant_id", { ...refund, merchantId: "" }, "is required"],
  [
    "transaction_type",
    { transactionType: "payout_session" },
    "must be one of payment_session, refund",
  ],
  ["transaction_id", { ...refund, transactionId: "", dataJson: "{}" }, "is required"],
  [
    "transaction_id",
    { ...refund, transactionId: "\u0000", dataJson: "{}" },
    "must not contain control characters",
  ],
  [
    "status",
    { ...refund, status: "s".repeat(65), dataJson: "{}" },
    "must have at most 64 characters",
  ],
  [
    "transaction_id",
    { ...refund, transactionId: "a,b", dataJson: "{}" },
    "must not contain a comma",
  ],
  ["status", { ...refund, status: "a,b", dataJson: "{}" }, "must not contain a comma"],
  [
    "transaction_id",
    { ...refund, transactionId: "po_1", dataJson: "{}" },
    "must not begin with po_, which is the prefix of other ids",
  ],
  ["sequence", { sequence: 0n }, "must be a whole number from 1"],
  ["sequence", { sequence: 9007199254740992n }, "must be a whole number from 1"],
  [
    "data_json",
    { dataJson: sized(dataJsonBytesMax + 2) },
    `must have at most ${dataJsonBytesMax} bytes`,
  ],
  ["data_json", { dataJson: "" }, "must be a JSON object"],
  ["data_json", { dataJson: "[]" }, "must be a JSON object"],
  ["data_json", { dataJson: "null" }, "must be a JSON object"],
  ["data_json", { dataJson: "1" }, "must be a JSON object"],
  ["data_json", { dataJson: "{}}" }, "must be a JSON object"],
  ["data_json", { dataJson: "[".repeat(50_000) }, "must be a JSON object"],
  ["data_json", { dataJson: '{"id":"a","id":"b"}' }, "must be a JSON object"],
  ["data_json", { ...refund, dataJson: nested(32) }, "must nest at most 32 levels deep"],
  ["data_json", { ...refund, dataJson: '{"id":"ps_2"}' }, "id must be equal to transaction_id"],
  ["data_json", { ...refund, dataJson: '{"id":5}' }, "id must be equal to transaction_id"],
  [
    "data_json",
    { ...refund, dataJson: '{"status":"failed"}' },
    "status must be equal to the event's status",
  ],
  ["data_json", session({ id: '"ps_2"' }), "id must be equal to transaction_id"],
  ["data_json", session({ status: '"failed"' }), "status must be equal to the event's status"],
  [
    "data_json",
    session({ merchant_id: '"mer_2"' }),
    "merchant_id must be equal to the event's merchant_id",
  ],
  ["data_json", session({ amount: '"1.10"' }), "amount must be a number"],
  ["data_json", session({ failure_code: "null" }), "failure_code must be a string"],
  ["data_json", session({ risk_score: "0.1" }), "risk_score must be a string"],
  [
    "data_json",
    session({ created_at: '""' }),
    "created_at must be an ISO 8601 time with its offset",
  ],
  [
    "data_json",
    session({ updated_at: '"2026-11-20"', expires_at: '"2026-13-20T11:26:00Z"' }),
    "updated_at must be an ISO 8601 time with its offset, expires_at must be an ISO 8601 time with its offset",
  ],
])("refuses %s, case %#", (field, change, problem) => {
  expect(publishedEventViolations({ ...event, ...change })).toEqual([{ field, problem }]);
});

it.each([
  ...["id", "reference_id", "merchant_id", "status", "failure_code", "amount", "source_currency"],
  ...["source_account", "payment_option_id", "payment_option_code", "success_redirect_url"],
  ...["failure_redirect_url", "risk_score", "created_at", "updated_at", "expires_at"],
])("refuses a payment session without %s", (field) => {
  const violations = publishedEventViolations({ ...event, ...session({ [field]: undefined }) });
  expect(violations).toEqual([{ field: "data_json", problem: `${field} is required` }]);
});
