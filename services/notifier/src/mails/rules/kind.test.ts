import { expect, it } from "vitest";
import { optInTypes } from "../../endpoints/rules/opt-in.ts";
import { countsFor, mailKindOf, scopeOf } from "./kind.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const event = (transactionType: string, more: object = {}) => ({
  eventId: "evt_1",
  merchantId: "mer_1",
  transactionType,
  status: "any",
  occurredAt: now,
  ...more,
});

it.each([
  ["payout_session", { status: "failed", subStatus: "rejected" }, "failures"],
  ["payout_session", { status: "failed", subStatus: "returned" }, "failures"],
  ["payout_session", { status: "failed", subStatus: "cancelled" }, undefined],
  ["payout_session", { status: "succeeded", subStatus: "settled" }, undefined],
  ["payout_session", { status: "initiated" }, undefined],
  ["payment_session", { status: "failed" }, undefined],
  ["refund", { status: "failed" }, undefined],
  ["webhook_test", {}, undefined],
  ["toString", {}, undefined],
  ["payout.approval_required", {}, "approvals"],
  ["scheduled_payout.approval_required", {}, "approvals"],
  ["batch.approval_required", {}, "approvals"],
  ["account.balance_low", {}, "balances"],
  ["account.credited", {}, undefined],
  ["batch.finished", {}, "batches"],
  ["beneficiary.screening_changed", {}, undefined],
  ["endpoint.failing", {}, "webhooks"],
  ["endpoint.recovered", {}, undefined],
  ["webhook_endpoint.paused", {}, "webhooks"],
])("%s %j is mailed as %s", (type, more, kind) => {
  expect(mailKindOf(event(type, more), now)).toBe(kind);
});

it("every opt-in event that asks for approval is mailed", () => {
  for (const type of optInTypes.filter((each) => each.endsWith("approval_required"))) {
    expect(mailKindOf(event(type), now)).toBe("approvals");
  }
});

it("an event of a day ago is no news", () => {
  const at = (ms: number) => new Date(now.getTime() - ms);
  const old = (ms: number) => mailKindOf(event("batch.finished", { occurredAt: at(ms) }), now);
  expect(old(86_399_999)).toBe("batches");
  expect(old(86_400_000)).toBeUndefined();
});

it("a member gets the counts of scopes and kinds that are not switched off", () => {
  const counts = { approvals: 2, failures: 1, balances: 0, webhooks: 3 };
  const scopes = [scopeOf.failures, scopeOf.balances, scopeOf.webhooks];
  expect(countsFor(counts, { scopes, off: [] })).toEqual({ failures: 1, webhooks: 3 });
  expect(countsFor(counts, { scopes, off: ["webhooks"] })).toEqual({ failures: 1 });
  expect(countsFor(counts, { scopes: [], off: [] })).toEqual({});
});
