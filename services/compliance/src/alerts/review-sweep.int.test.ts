import {
  AlertState,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hitOf, officer, subjectOf, type TestReview, testReview } from "../test-review.ts";
import { dispositionOf } from "./rules/alert.ts";

let review: TestReview;
beforeAll(async () => {
  review = await testReview();
});
afterAll(() => review.end());

async function alerted() {
  const subject = subjectOf();
  const { hits } = await review.screen(subject, [hitOf("7")]);
  return { subject, alertId: hits[0]?.alertId ?? "" };
}

const reason = "born forty years apart, other passport";
const falsePositive = { decision: Decision.FALSE_POSITIVE, reason };

describe("after a crash", () => {
  it("between a decision and its next steps, another process completes them", async () => {
    const { subject, alertId } = await alerted();
    const stored = await review.alerts.read(alertId);
    if (stored === undefined) throw new Error("no alert");
    const by = { person: "ada", operation: "crashed-1", at: new Date() };
    const state = { kind: "false_positive", by, reason } as const;
    const action = "alert.false_positive" as const;
    await review.alerts.change(
      stored,
      { ...stored.alert, state },
      {
        reviewAction: { by, action, given: reason, assignee: "", state },
        pendingAudit: {
          ...by,
          action,
          subject: alertId,
          detail: review.sealDetail(alertId, reason),
        },
        isVerdictDue: dispositionOf(state) !== dispositionOf(stored.alert.state),
      },
    );
    expect(review.verdictOf(subject)).toBe("review");
    const another = await review.startAnother();
    await vi.waitFor(() => expect(review.verdictOf(subject)).toBe("clear"), { timeout: 5_000 });
    await vi.waitFor(async () => expect(await review.alerts.unfinished()).toEqual([]), {
      timeout: 5_000,
    });
    await another.stop();
    const { entries } = await review.rpc.listReviewEntries({ alertId });
    expect(entries.map((each) => each.action)).toEqual(["alert.false_positive"]);
    const repeated = { ...officer("ada", "crashed-1"), alertId, ...falsePositive };
    expect((await review.rpc.decideAlert(repeated)).alert?.state).toBe(AlertState.FALSE_POSITIVE);
    expect((await review.rpc.listReviewEntries({ alertId })).entries).toHaveLength(1);
  });

  it("a decision stays in force while the subject cannot be screened, and is completed later", async () => {
    const { subject, alertId } = await alerted();
    review.faults.rescreen = new Error("no list is in force");
    const { alert } = await review.rpc.decideAlert({
      ...officer("ada"),
      alertId,
      ...falsePositive,
    });
    expect(alert?.state).toBe(AlertState.FALSE_POSITIVE);
    expect(review.verdictOf(subject)).toBe("review");
    review.faults.rescreen = undefined;
    const another = await review.startAnother();
    await vi.waitFor(() => expect(review.verdictOf(subject)).toBe("clear"), { timeout: 5_000 });
    await another.stop();
  });
});

it("counts pending alerts and actions", async () => {
  const { alertId } = await alerted();
  const escalated = { alertId, decision: Decision.ESCALATED, reason };
  await review.rpc.decideAlert({ ...officer("ada"), ...escalated });
  const done = await review.metrics.text();
  expect(done).toMatch(/disburse_alert_actions_total{action="alert.escalated"[^}]*} 1/);
  const another = await review.startAnother();
  await vi.waitFor(
    async () => {
      const shown = await another.metrics.text();
      expect(shown).toMatch(/alerts_waiting{state="escalated"[^}]*} 1/);
      expect(shown).toMatch(/waiting_oldest_seconds{state="escalated"[^}]*} \d/);
    },
    { timeout: 5_000 },
  );
  await another.stop();
});
