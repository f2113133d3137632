import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Outcome } from "@disburse/rail/report.ts";
import { describe, expect, it } from "vitest";
import type { PayoutException } from "../../payouts/rules/exception.ts";
import type { Progress } from "../../payouts/rules/progress.ts";
import { effectOfOutcome } from "./resolution.ts";

const unknown: PayoutException = { kind: "unknown", since: new Date(0) };

const outcomes: Outcome[] = [
  { kind: "settled", reference: "R" },
  { kind: "settled", reference: "other" },
  { kind: "rejected" },
  { kind: "returned" },
];

const stages: Progress[] = [
  { stage: "queued" },
  { stage: "submitting" },
  { stage: "processing" },
  { stage: "unknown", asked: 3 },
  { stage: "concluding", outcome: { kind: "settled", reference: "R" } },
  { stage: "concluding", outcome: { kind: "settled", reference: "R", returned: true } },
  { stage: "concluding", outcome: { kind: "rejected" } },
  { stage: "settled", reference: "R" },
  { stage: "rejected" },
  { stage: "returning", reference: "R" },
  { stage: "returned", reference: "R" },
];

function word(progress: Progress, outcome: Outcome): string {
  const resolved = effectOfOutcome({ progress, exception: unknown }, outcome);
  if (isRefused(resolved)) return "refused";
  return resolved.kind === "moves" ? resolved.to.stage : resolved.kind;
}

describe("a resolved outcome", () => {
  const columns = "settled R  settled other  rejected  returned";
  it.each([
    [0, "refused    refused    concluding refused"],
    [1, "concluding concluding concluding concluding"],
    [2, "concluding concluding concluding concluding"],
    [3, "concluding concluding concluding concluding"],
    [4, "stands     refused    refused    concluding"],
    [5, "refused    refused    refused    stands"],
    [6, "refused    refused    stands     refused"],
    [7, "stands     refused    refused    returning"],
    [8, "refused    refused    stands     refused"],
    [9, "refused    refused    refused    stands"],
    [10, "refused    refused    refused    stands"],
  ])(`takes stage %i, by ${columns}, to %s`, (stage, row) => {
    const progress = stages[stage] as Progress;
    expect(outcomes.map((outcome) => word(progress, outcome))).toEqual(row.split(/\s+/));
  });

  it("is refused without an exception", () => {
    for (const progress of stages) {
      for (const outcome of outcomes) {
        expect(effectOfOutcome({ progress, exception: undefined }, outcome)).toEqual({
          ...{ refused: "INVALID_REQUEST", detail: "payout_id: the payout has no exception" },
        });
      }
    }
  });
});
