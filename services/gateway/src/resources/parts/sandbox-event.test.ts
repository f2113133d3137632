import { describe, expect, it } from "vitest";
import { sandboxData } from "../webhooks.ts";

type Data = Readonly<Record<string, string>>;

function found(type: string, status: string, data: Data) {
  const sent = sandboxData(type, { status, data });
  if (sent === undefined) throw new Error("the type is unknown");
  return sent;
}
const dataOf = (type: string, status = "", data: Data = {}) => {
  const sent = found(type, status, data);
  return "violations" in sent ? sent.violations : JSON.parse(sent.dataJson);
};
const problems = (type: string, status: string, data: Data = {}) => {
  const sent = found(type, status, data);
  return "violations" in sent
    ? sent.violations.map(({ field, problem }) => `${field}: ${problem}`)
    : [];
};

const payout = "payout_session";
const none = { unique_transaction_reference: "", failure_code: "", returned_reference: "" };

describe("the example of a payout", () => {
  it.each([
    ["", {}, { status: "initiated", sub_status: "queued", ...none }],
    ["initiated", { sub_status: "unknown" }, { sub_status: "unknown", ...none }],
    [
      "succeeded",
      {},
      { ...none, sub_status: "settled", unique_transaction_reference: expect.stringMatching(/./) },
    ],
    ["", { status: "failed" }, { status: "failed", sub_status: "rejected" }],
    ["failed", {}, { ...none, sub_status: "rejected", failure_code: "TRANSFER_REVERTED" }],
    [
      "failed",
      { sub_status: "cancelled" },
      { ...none, sub_status: "cancelled", failure_code: "CANCELLED" },
    ],
    [
      "failed",
      { sub_status: "returned" },
      {
        ...{ sub_status: "returned", unique_transaction_reference: "" },
        ...{ failure_code: "ACCOUNT_CLOSED", returned_reference: expect.stringMatching(/./) },
      },
    ],
  ])("in status %j with %j is possible", (status, data, expected) => {
    expect(dataOf(payout, status, data)).toMatchObject(expected);
  });

  it.each([
    ["paid", {}, "status: must be one of initiated, succeeded, failed"],
    ["", { status: "paid" }, "data.status: must be one of initiated, succeeded, failed"],
    [
      "succeeded",
      { sub_status: "queued" },
      "data.sub_status: must be one of settled if the status is succeeded",
    ],
    [
      "failed",
      { unique_transaction_reference: "0x1" },
      "data.unique_transaction_reference: must be empty unless the status is succeeded",
    ],
    [
      "succeeded",
      { unique_transaction_reference: "" },
      "data.unique_transaction_reference: must not be empty if the status is succeeded",
    ],
    [
      "succeeded",
      { failure_code: "X" },
      "data.failure_code: must be empty unless the status is failed",
    ],
    [
      "failed",
      { returned_reference: "X" },
      "data.returned_reference: must be empty unless the sub-status is returned",
    ],
    [
      "initiated",
      { created_at: "yesterday" },
      "data.created_at: must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z",
    ],
    ["initiated", { source_amount: "ten" }, "data.source_amount: must be a decimal number"],
    ["initiated", { source_amount: "007" }, "data.source_amount: must be a decimal number"],
    ["initiated", { beneficiary_id: "b" }, "data.beneficiary_id: must match ^ben_[0-9a-z]{26}$"],
    ["initiated", { created_by: "me" }, "data.created_by: can't be set, because it is not a text"],
    ["initiated", { note: "x" }, "data.note: is not a field of this event"],
  ])("in status %j with %j is refused", (status, data, problem) => {
    expect(problems(payout, status, data)).toEqual([problem]);
  });
});

describe("the example of another event", () => {
  it("has a failure code if it failed", () => {
    expect(dataOf("payment_session", "failed")).toMatchObject({ failure_code: "UNSPECIFIED" });
    expect(dataOf("payment_session", "paid")).toMatchObject({ failure_code: "" });
  });

  it("has any field if another system defines them", () => {
    expect(problems("refund", "done", { reason: "x" })).toEqual([]);
  });

  it("has optional numbers as numbers", () => {
    const type = "scheduled_payout.approval_required";
    expect(dataOf(type, "", { source_amount: "12.50" })).toMatchObject({ source_amount: 12.5 });
  });

  it.each([
    ["account.credited", "paid", {}, "status: must be one of credited"],
    ["batch.finished", "", { line_count: "1.5" }, "data.line_count: must be a whole number"],
    [
      "beneficiary.screening_changed",
      "review",
      { previous_status: "review" },
      "data.previous_status: must differ from the status",
    ],
    [
      "beneficiary.screening_changed",
      "review",
      { previous_status: "new" },
      "data.previous_status: must be one of pending, cleared, review, blocked",
    ],
  ])("%s in status %j with %j is refused", (type, status, data, problem) => {
    expect(problems(type, status, data)).toEqual([problem]);
  });
});
