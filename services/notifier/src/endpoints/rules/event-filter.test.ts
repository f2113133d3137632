import { optInEventTypes } from "@disburse/forms/bodies/webhooks.ts";
import { describe, expect, it } from "vitest";
import { isSubscribed } from "./event-filter.ts";
import { optInTypes } from "./opt-in.ts";

const failed = { transactionType: "payout_session", status: "failed" };

describe("isSubscribed", () => {
  it.each([
    [["*"], true],
    [["payout_session"], true],
    [["payout_session.failed"], true],
    [["refund", "payout_session.failed"], true],
    [["payout_session.initiated"], false],
    [["payment_session"], false],
    [["payout_session.fail"], false],
    [[], false],
  ])("of a failed payout for %j: %s", (eventTypes, expected) => {
    expect(isSubscribed({ eventTypes }, failed)).toBe(expected);
  });
});

it.each([
  [["*"], false],
  [["account.credited"], true],
  [["account.credited.credited"], false],
  [["account"], false],
])("an opt-in event is selected by its name alone: %j", (eventTypes, expected) => {
  const credited = { transactionType: "account.credited", status: "credited" };
  expect(isSubscribed({ eventTypes }, credited)).toBe(expected);
});

it("endpoints may name every opt-in type", () => {
  expect(optInTypes.toSorted()).toEqual(optInEventTypes.toSorted());
});
