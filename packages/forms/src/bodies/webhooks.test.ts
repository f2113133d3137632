import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import { createEndpoint, updateEndpoint } from "./webhooks.ts";

const url = "https://merchant.example/webhooks";
const context = { now: new Date("2026-11-22T00:00:00Z") };

function checked(event_types: string[]) {
  return checkBody(createEndpoint, { url, event_types }, context);
}

const statuses = (count: number) => Array.from({ length: count }, (_none, at) => `refund.s${at}`);

describe("event types", () => {
  it.each([
    [["*"]],
    [["payout_session", "payment_session", "refund"]],
    [["payout_session.initiated", "payout_session.succeeded", "payout_session.failed"]],
    [["refund.partly-done_2", "payment_session.Paid"]],
    [["*", "account.credited", "beneficiary.screening_changed", "payout.approval_required"]],
    [statuses(50)],
  ])("%j are taken", (types) => {
    expect(checked(types)).toHaveProperty("values", { url, order: "bounded", event_types: types });
  });

  it.each([
    [["webhook_test"]],
    [["payout"]],
    [["payout_session."]],
    [["payout_session.paid"]],
    [["payout_session.*"]],
    [["refund."]],
    [["refund.a b"]],
    [[`refund.${"a".repeat(65)}`]],
    [["PAYOUT_SESSION"]],
    [["account"]],
    [["accountxcredited"]],
    [["account.credited.credited"]],
    [["beneficiary.screening_changed.blocked"]],
    [["**"]],
    [["*\nrefund"]],
    [["refund", "refund"]],
    [["refund", " refund"]],
    [statuses(51)],
  ])("%j are refused", (types) => {
    expect(checked(types)).toEqual([{ field: "event_types", problem: expect.any(String) }]);
  });
});

it("event types are trimmed", () => {
  expect(checked([" refund.failed "])).toHaveProperty("values.event_types", ["refund.failed"]);
});

describe("an update", () => {
  it("needs no field of its own and fills none in", () => {
    expect(checkBody(updateEndpoint, {}, context)).toHaveProperty("values", {});
  });
});
