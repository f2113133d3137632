import { expect, it } from "vitest";
import { dataJsonBytesMax, type PublishedEvent, publishedEventViolations } from "./event.ts";

const event: PublishedEvent = {
  eventId: "ps-1",
  merchantId: "mer_1",
  transactionType: "payment_session",
  transactionId: "ps_1",
  status: "initiated",
  sequence: 1n,
  dataJson: '{"id":"ps_1","status":"initiated","amount":1.10}',
  occurredAt: undefined,
};
const sized = (bytes: number): string => `{"x":"${"é".repeat((bytes - 8) / 2)}"}`;

it.each<[string, Partial<PublishedEvent>]>([
  ["all fields", {}],
  ["a refund", { transactionType: "refund" }],
  ["data that says nothing of id and status", { dataJson: "{}" }],
  ["the longest texts", { eventId: "~".repeat(128), status: "s".repeat(64), dataJson: "{}" }],
  ["the largest sequence", { sequence: 9007199254740991n }],
  ["the largest data", { dataJson: sized(dataJsonBytesMax) }],
])("takes %s", (_name, change) => {
  expect(publishedEventViolations({ ...event, ...change })).toEqual([]);
});

it.each<[string, Partial<PublishedEvent>, string]>([
  ["event_id", { eventId: "" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a b" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a\r\nx: y" }, "must be 1 to 128 printable characters"],
  ["event_id", { eventId: "a".repeat(129) }, "must be 1 to 128 printable characters"],
  ["merchant_id", { merchantId: "" }, "is required"],
  [
    "transaction_type",
    { transactionType: "payout_session" },
    "must be one of payment_session, refund",
  ],
  ["transaction_id", { transactionId: "", dataJson: "{}" }, "is required"],
  [
    "transaction_id",
    { transactionId: "\u0000", dataJson: "{}" },
    "must not contain control characters",
  ],
  ["status", { status: "s".repeat(65), dataJson: "{}" }, "must have at most 64 characters"],
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
  ["data_json", { dataJson: '{"id":"ps_2"}' }, "id must be the event's transaction_id"],
  ["data_json", { dataJson: '{"status":"failed"}' }, "status must be the event's status"],
])("refuses %s, case %#", (field, change, problem) => {
  expect(publishedEventViolations({ ...event, ...change })).toEqual([{ field, problem }]);
});
