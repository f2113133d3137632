import { describe, expect, it } from "vitest";
import { isSubscribed } from "./event-filter.ts";

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
