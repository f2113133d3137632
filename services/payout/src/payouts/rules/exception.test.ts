import { describe, expect, it } from "vitest";
import {
  exceptionAfterStep,
  isOverdue,
  type PayoutException,
  raiseException,
} from "./exception.ts";

const since = new Date(1_000);
const at = new Date(2_000);
const exception = (kind: PayoutException["kind"]): PayoutException => ({ kind, since });

describe("an exception after a step", () => {
  it.each([
    ["none", undefined, "processing", "accepted", undefined],
    ["none, the rail cannot tell", undefined, "unknown", "outcome_unknown", "unknown since 2000"],
    ["unknown still", exception("unknown"), "unknown", "outcome_unknown", "unknown since 1000"],
    ["unknown, the rail knows again", exception("unknown"), "processing", "accepted", undefined],
    ["stuck, decided", exception("stuck"), "concluding", "settled", undefined],
    ["stuck, unknown now", exception("stuck"), "unknown", "outcome_unknown", "unknown since 1000"],
    ["contradicted, at its end", exception("contradicted"), "settled", "settled", "contradicted"],
    ["contradicted, resolved", exception("contradicted"), "concluding", "resolved", undefined],
    ["unknown, resolved", exception("unknown"), "concluding", "resolved", undefined],
    [
      "unknown, to be cancelled",
      exception("unknown"),
      "cancelling",
      "cancelled",
      "unknown since 1000",
    ],
    ["stuck, not cancelled", exception("unknown"), "submitting", "cancelled", "unknown since 1000"],
    ["unknown, cancelled", exception("unknown"), "concluding", "cancelled", undefined],
    [
      "contradicted, cancelled",
      exception("contradicted"),
      "cancelled",
      "cancelled",
      "contradicted",
    ],
  ] as const)("that was %s", (_what, before, stage, cause, expected) => {
    const after = exceptionAfterStep(before, stage, cause, at);
    const actual = after && `${after.kind} since ${after.since.getTime()}`;
    expect(actual).toBe(expected === "contradicted" ? "contradicted since 1000" : expected);
  });
});

it.each([
  ["nothing", undefined, "stuck", "stuck since 2000"],
  ["stuck", exception("stuck"), "contradicted", "contradicted since 1000"],
  ["contradicted", exception("contradicted"), "stuck", "contradicted since 1000"],
  ["unknown", exception("unknown"), "stuck", "unknown since 1000"],
] as const)("keeps the graver reason beside %s", (_what, before, kind, expected) => {
  const after = raiseException(before, kind, at);
  expect(`${after.kind} since ${after.since.getTime()}`).toBe(expected);
});

it.each([
  ["in the queue", undefined, false],
  ["a millisecond before", new Date(1_001), false],
  ["at the bound", new Date(1_000), true],
] as const)("is overdue: %s", (_what, submittedAt, expected) => {
  expect(isOverdue(submittedAt, at, 1_000)).toBe(expected);
});
