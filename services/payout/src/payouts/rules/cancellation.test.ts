import { expect, it } from "vitest";
import {
  afterWithdrawal,
  type CancellationStep,
  isTakenBack,
  nextOfCancellation,
} from "./cancellation.ts";
import type { ExceptionKind } from "./exception.ts";
import type { Progress } from "./progress.ts";

const settled = { kind: "settled", reference: "R" } as const;

it.each<[Progress, CancellationStep, CancellationStep]>([
  [{ stage: "awaiting_approval" }, "conclude", "refused"],
  [{ stage: "queued" }, "conclude", "refused"],
  [{ stage: "submitting" }, "intend", "refused"],
  [{ stage: "processing" }, "intend", "refused"],
  [{ stage: "unknown", asked: 3 }, "intend", "refused"],
  [{ stage: "cancelling" }, "withdraw", "refused"],
  [{ stage: "concluding", outcome: { kind: "cancelled" } }, "close", "close"],
  [{ stage: "concluding", outcome: settled }, "refused", "refused"],
  [{ stage: "concluding", outcome: { kind: "rejected" } }, "refused", "refused"],
  [{ stage: "settled", reference: "R" }, "refused", "refused"],
  [{ stage: "returning", reference: "R" }, "refused", "refused"],
  [{ stage: "rejected" }, "refused", "refused"],
  [{ stage: "returned", reference: "R" }, "refused", "refused"],
  [{ stage: "cancelled" }, "over", "over"],
])("at %j a cancellation is next to %s, and where its rail contradicts itself %s", (...row) => {
  const [progress, next, whereContradicted] = row;
  const under = (kind?: ExceptionKind) => {
    const exception = kind && { kind, since: new Date(0) };
    return nextOfCancellation({ progress, exception });
  };
  expect([under(), under("stuck"), under("unknown")]).toEqual([next, next, next]);
  expect(under("contradicted")).toBe(whereContradicted);
});

const failure = { code: "ACCOUNT_CLOSED" } as const;

it.each([
  ["that rejects it", { status: { kind: "rejected" } }, true],
  ["that rejected it for a reason", { status: { kind: "rejected", failure } }, false],
  [
    "that rejects it, given an exception",
    { status: { kind: "rejected" }, contradiction: "why" },
    false,
  ],
  ["that paid it", { status: { kind: "settled", reference: "R" } }, false],
  ["that got it back", { status: { kind: "returned" } }, false],
  ["that does not know", { status: { kind: "unknown" } }, false],
  ["that has it", { status: { kind: "accepted" } }, false],
  ["that never had it", { status: { kind: "not_received" } }, false],
] as const)("a rail %s took it back: %#", (_what, reply, expected) => {
  expect(isTakenBack(reply)).toBe(expected);
});

it("its rail decides: money is released, or the rail is polled for the outcome", () => {
  const cancelled = { stage: "concluding", outcome: { kind: "cancelled" } };
  expect([true, false].map(afterWithdrawal)).toEqual([cancelled, { stage: "submitting" }]);
});
