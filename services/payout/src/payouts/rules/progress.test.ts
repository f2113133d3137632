import { isRefused } from "@disburse/kernel/refusal.ts";
import type { RailStatus } from "@disburse/rail/report.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleFailure } from "./failure.ts";
import { pendingMovement } from "./movement.ts";
import { applyRailStatus, type Progress, publicStatusOf, visibleReference } from "./progress.ts";

const failure = { code: "ACCOUNT_CLOSED", railCode: "AC04" } as const;

const answers: RailStatus[] = [
  { kind: "accepted" },
  { kind: "settled", reference: "R" },
  { kind: "rejected" },
  { kind: "returned", reference: "R" },
  { kind: "unknown" },
  { kind: "not_received" },
];

/** The change of available, held and outside money when a hold of 10 ends. */
const effects = {
  post: [0n, -10n, 10n],
  release: [10n, -10n, 0n],
  return: [10n, 0n, -10n],
} as const;

const stages: Progress[] = [
  { stage: "queued" },
  { stage: "submitting" },
  { stage: "processing" },
  { stage: "unknown", asked: 1 },
  { stage: "concluding", outcome: { kind: "settled", reference: "R" } },
  { stage: "concluding", outcome: { kind: "rejected" } },
  { stage: "settled", reference: "R" },
  { stage: "rejected" },
  { stage: "returning", reference: "R" },
  { stage: "returned", reference: "R" },
  { stage: "cancelling" },
  { stage: "concluding", outcome: { kind: "cancelled" } },
  { stage: "cancelled" },
];

function word(progress: Progress, answer: RailStatus): string {
  const next = applyRailStatus(progress, answer);
  if (isRefused(next)) return "refused";
  return next === "unchanged" ? "same" : next.stage;
}

describe("a rail's status", () => {
  const columns = "accepted  settled    rejected   returned  unknown   not_received";
  it.each([
    [0, "refused   refused    refused    refused   refused   refused"],
    [1, "processing concluding concluding concluding unknown  same"],
    [2, "same      concluding concluding concluding unknown  submitting"],
    [3, "processing concluding concluding concluding unknown  submitting"],
    [4, "same      same       refused    concluding same     same"],
    [5, "same      refused    same       refused   same      same"],
    [6, "same      same       refused    returning same      same"],
    [7, "refused   refused    same       refused   refused   refused"],
    [8, "refused   same       refused    same      refused   refused"],
    [9, "refused   same       refused    same      refused   refused"],
    [10, "same      concluding concluding concluding same     same"],
    [11, "same      refused    same       refused   same      same"],
    [12, "refused   refused    same       refused   refused   same"],
  ])(`takes stage %i, by ${columns}, to %s`, (at, row) => {
    const progress = stages[at] as Progress;
    expect(answers.map((answer) => word(progress, answer))).toEqual(row.split(/\s+/));
  });
});

it.each<[Progress, RailStatus, Progress]>([
  [
    { stage: "concluding", outcome: { kind: "settled", reference: "R" } },
    { kind: "returned" },
    { stage: "concluding", outcome: { kind: "settled", reference: "R", returned: true } },
  ],
  [
    { stage: "processing" },
    { kind: "settled", reference: "R" },
    { stage: "concluding", outcome: { kind: "settled", reference: "R" } },
  ],
  [
    { stage: "processing" },
    { kind: "returned", reference: "R" },
    { stage: "concluding", outcome: { kind: "settled", reference: "R", returned: true } },
  ],
  [
    { stage: "processing" },
    { kind: "returned" },
    { stage: "concluding", outcome: { kind: "settled", reference: "", returned: true } },
  ],
  [
    { stage: "submitting" },
    { kind: "rejected" },
    { stage: "concluding", outcome: { kind: "rejected" } },
  ],
  [{ stage: "processing" }, { kind: "unknown" }, { stage: "unknown", asked: 1 }],
  [{ stage: "unknown", asked: 1 }, { kind: "unknown" }, { stage: "unknown", asked: 2 }],
  [
    { stage: "settled", reference: "R" },
    { kind: "returned", reference: "other" },
    { stage: "returning", reference: "R" },
  ],
  [
    { stage: "settled", reference: "R" },
    { kind: "returned", failure },
    { stage: "returning", reference: "R", failure },
  ],
  [
    { stage: "concluding", outcome: { kind: "settled", reference: "R" } },
    { kind: "returned", failure },
    { stage: "concluding", outcome: { kind: "settled", reference: "R", returned: true, failure } },
  ],
  [
    { stage: "unknown", asked: 2 },
    { kind: "rejected", failure },
    { stage: "concluding", outcome: { kind: "rejected", failure } },
  ],
])("after %j, %j leads to %j", (progress, answer, next) => {
  expect(applyRailStatus(progress, answer)).toStrictEqual(next);
});

it("a return is reported once while the payment is not posted yet", () => {
  const outcome = { kind: "settled", reference: "R", returned: true } as const;
  const concluding: Progress = { stage: "concluding", outcome };
  expect(applyRailStatus(concluding, { kind: "returned" })).toBe("unchanged");
});

describe("any sequence of rail statuses", () => {
  it("status moves only as the contract allows, and money is conserved", () => {
    const script = fc.array(fc.constantFrom(...answers), { maxLength: 30 });
    fc.assert(
      fc.property(script, (statuses) => {
        let progress: Progress = { stage: "submitting" };
        let [available, held, out] = [90n, 10n, 0n];
        const seen = [publicStatusOf(progress).status as string];
        for (const answer of statuses) {
          const next = applyRailStatus(progress, answer);
          if (!isRefused(next) && next !== "unchanged") progress = next;
          const movement = pendingMovement(progress);
          if (movement !== undefined) {
            const [gain, release, sent] = effects[movement.step];
            available += gain;
            held += release;
            out += sent;
            progress = movement.to;
          }
          const { status } = publicStatusOf(progress);
          if (status !== seen.at(-1)) seen.push(status);
          expect(available + held + out).toBe(100n);
          expect(available >= 0n && held >= 0n && out >= 0n).toBe(true);
          expect(visibleReference(progress) !== "").toBe(status === "succeeded");
          expect(visibleFailure(progress).failureCode !== "").toBe(status === "failed");
        }
        expect([
          "initiated",
          "initiated,succeeded",
          "initiated,failed",
          "initiated,succeeded,failed",
        ]).toContain(seen.join());
        if (publicStatusOf(progress).status === "failed")
          expect([available, held]).toEqual([100n, 0n]);
      }),
    );
  });
});
