import { Decision } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { readDays } from "@disburse/kernel/days.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hitOf, officer, subjectOf, type TestReview, testReview } from "../test-review.ts";
import type { AlertDocument } from "./document.ts";
import { alertsByDay } from "./store.ts";

let review: TestReview;
beforeAll(async () => {
  review = await testReview();
});
afterAll(() => review.end());

const dayMs = 86_400_000;
const reason = "a person of another name, Marlo Quint";

it("counts the alerts of each day by state, with the time until their decision", async () => {
  const alerts = review.database.db.collection<AlertDocument>("alerts");
  const subject = subjectOf();
  const { hits } = await review.screen(
    subject,
    ["1", "2", "3", "4"].map((uid) => hitOf(uid)),
  );
  const [first = "", second = "", match = "", escalated = ""] = hits.map(({ alertId }) => alertId);
  const today = new Date(new Date().setUTCHours(12, 0, 0, 0));
  // The alerts have waited for these times when they are decided at noon.
  const waited = [
    [first, 100_000],
    [second, 300_000],
    [match, 2 * dayMs],
  ] as const;
  for (const alertId of [first, second]) {
    const decision = Decision.FALSE_POSITIVE;
    await review.rpc.decideAlert({ ...officer("ada"), alertId, decision, reason });
  }
  await review.trueMatch(match, reason);
  const { ESCALATED } = Decision;
  await review.rpc.decideAlert({
    ...officer("ada"),
    alertId: escalated,
    decision: ESCALATED,
    reason,
  });
  for (const [_id, waitedMs] of waited) {
    const waiting_since = new Date(today.getTime() - waitedMs);
    await alerts.updateOne({ _id }, { $set: { waiting_since, "standing.by.at": today } });
  }
  // The hit of the second one no longer exists, but its decision counts.
  await review.screen(
    subject,
    ["1", "3", "4"].map((uid) => hitOf(uid)),
  );
  const { days } = await review.rpc.getAlertActivity({});
  const [before, , now] = days.slice(-3);
  expect(days).toHaveLength(30);
  expect(now).toMatchObject({
    ...{ date: today.toISOString().slice(0, 10), pending: 1n, falsePositives: 1n, closed: 1n },
    ...{ trueMatches: 0n, medianDecisionSeconds: 100n, longestDecisionSeconds: 300n },
  });
  expect(before).toMatchObject({ trueMatches: 1n, longestDecisionSeconds: 172_800n });
  expect(days[0]).toMatchObject({ pending: 0n });
  expect(days[0]?.medianDecisionSeconds).toBeUndefined();
});

it("reads the alerts of its days alone", async () => {
  const days = readDays("2020-01-01", "2020-01-31", new Date());
  if (isRefused(days)) throw new Error(days.detail);
  const pipeline = alertsByDay(days);
  const alerts = review.database.db.collection("alerts");
  const plan = await alerts.aggregate(pipeline, { hint: "state" }).explain("executionStats");
  expect(JSON.stringify(plan)).toMatch(/"totalDocsExamined":0\b/);
  expect(JSON.stringify(plan)).toMatch(/"totalKeysExamined":\d\b/);
});
