import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { PayoutException } from "../../payouts/rules/exception.ts";
import type { Outcome, Progress } from "../../payouts/rules/progress.ts";
import {
  concluded,
  confirm,
  effectOf,
  effectOfOutcome,
  type OperatorAction,
  type Resolution,
  type ResolutionState,
  withdraw,
} from "./resolution.ts";

const at = new Date(1_000);
const unknown: PayoutException = { kind: "unknown", since: new Date(0) };
const act = (person: string, operation = "op"): OperatorAction => ({ person, operation, at });

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
          ...{ refused: "INVALID_REQUEST", detail: "payout_id: is not in doubt" },
        });
      }
    }
  });
});

function resolution(state: ResolutionState): Resolution {
  return {
    ...{ id: "rsl_1", payoutId: "po_1", outcome: { kind: "rejected" }, exception: "unknown" },
    ...{ reason: "the bank's statement", proposed: act("ada", "op-1"), state, updatedAt: at },
  };
}

const by = act("bob", "op-2");
const states: ResolutionState[] = [
  { kind: "proposed" },
  { kind: "confirmed", by },
  { kind: "applied", by },
  { kind: "withdrawn", by },
  { kind: "superseded" },
  { kind: "superseded", by },
];

function answer(next: Resolution | "repeated" | { readonly refused: string; detail?: string }) {
  if (next === "repeated") return next;
  return "refused" in next ? `${next.refused} ${next.detail}` : next.state;
}

describe("a second person", () => {
  it.each([
    [0, { kind: "confirmed", by }, { kind: "confirmed", by: act("cleo", "op-3") }],
    [1, "repeated", "INVALID_REQUEST resolution_id: is confirmed already"],
    [2, "repeated", "INVALID_REQUEST resolution_id: is confirmed already"],
    [3, "INVALID_REQUEST resolution_id: is withdrawn", undefined],
    [4, "INVALID_REQUEST resolution_id: the payout has moved on since", undefined],
    [5, "INVALID_REQUEST resolution_id: the payout has moved on since", undefined],
  ])("confirms in state %i: %j, with another operation %j", (state, same, other = same) => {
    const found = resolution(states[state] as ResolutionState);
    expect(answer(confirm(found, by))).toEqual(same);
    expect(answer(confirm(found, act("cleo", "op-3")))).toEqual(other);
  });

  it.each(["ada", "ADA"])("is not the first one: %s", (person) => {
    for (const state of states) {
      expect(confirm(resolution(state), act(person))).toMatchObject({
        refused: "ACCESS_FORBIDDEN",
      });
    }
  });

  it.each([
    [0, { kind: "withdrawn", by }, { kind: "withdrawn", by: act("ada", "op-3") }],
    [1, "INVALID_REQUEST resolution_id: is confirmed already", undefined],
    [2, "INVALID_REQUEST resolution_id: is confirmed already", undefined],
    [3, "repeated", "INVALID_REQUEST resolution_id: is withdrawn"],
    [4, "INVALID_REQUEST resolution_id: the payout has moved on since", undefined],
  ])("or the first withdraws in state %i: %j, %j", (state, same, other = same) => {
    const found = resolution(states[state] as ResolutionState);
    expect(answer(withdraw(found, by))).toEqual(same);
    expect(answer(withdraw(found, act("ada", "op-3")))).toEqual(other);
  });
});

it("a proposal keeps all that it is when it is confirmed or withdrawn", () => {
  const later = { ...by, at: new Date(2_000) };
  const proposed = resolution({ kind: "proposed" });
  const next = (kind: "confirmed" | "withdrawn") => ({
    ...{ ...proposed, state: { kind, by: later }, updatedAt: later.at },
  });
  expect(confirm(proposed, later)).toEqual(next("confirmed"));
  expect(withdraw(proposed, later)).toEqual(next("withdrawn"));
});

describe("a proposal", () => {
  const processing: Progress = { stage: "processing" };
  it.each<[string, Progress, PayoutException | undefined, boolean]>([
    ["applies while the exception is open", processing, unknown, true],
    ["applies when the exception is less severe", processing, { ...unknown, kind: "stuck" }, true],
    ["is superseded when the exception ended", processing, undefined, false],
    [
      "is over when the rail contradicted itself since",
      processing,
      { ...unknown, kind: "contradicted" },
      false,
    ],
    ["is over when the payout settled", { stage: "settled", reference: "R" }, unknown, false],
  ])("%s", (_what, progress, exception, counts) => {
    const effect = effectOf(resolution({ kind: "proposed" }), { progress, exception });
    expect(isRefused(effect)).toBe(!counts);
  });

  it("keeps who confirmed it to its end", () => {
    const later = new Date(2_000);
    const confirmed = resolution({ kind: "confirmed", by });
    expect(concluded(confirmed, "applied", later)).toMatchObject({
      ...{ state: { kind: "applied", by }, updatedAt: later },
    });
    expect(concluded(confirmed, "superseded", later).state).toEqual({ kind: "superseded", by });
    const proposed = resolution({ kind: "proposed" });
    expect(concluded(proposed, "superseded", later)).toEqual({
      ...{ ...proposed, state: { kind: "superseded" }, updatedAt: later },
    });
    expect(() => concluded(proposed, "applied", later)).toThrow("no effect");
  });
});
