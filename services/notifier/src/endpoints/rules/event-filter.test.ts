import { describe, expect, it } from "vitest";
import { isTold } from "./event-filter.ts";

const failed = { transactionType: "payout_session", status: "failed" };

describe("isTold", () => {
  it.each([
    [["*"], true],
    [["payout_session"], true],
    [["payout_session.failed"], true],
    [["refund", "payout_session.failed"], true],
    [["payout_session.initiated"], false],
    [["payment_session"], false],
    [["payout_session.fail"], false],
    [[], false],
  ])("of a failed payout for %j: %s", (eventTypes, told) => {
    expect(isTold({ eventTypes }, failed)).toBe(told);
  });
});
