import { describe, expect, it } from "vitest";
import { after, order, quote } from "../test-documents.ts";
import type { ApprovalDecision } from "./approval.ts";
import { approvalDigest, approvalState, decidable, isAsApproved, newPayout } from "./deciding.ts";
import { openSince, type Payout, settlementOverheadMs } from "./payout.ts";

const need = { reasons: ["amount"], lastsMs: 3_600_000 } as const;
const waiting = newPayout(quote, { ...order, approval: need });
const key = { kind: "api_key", id: "key_1" } as const;
const member = { kind: "member", id: "mem_1" } as const;
const approved: ApprovalDecision = {
  ...{ as: "approved", at: after(60), by: member, operationId: "op_2" },
};

function decided(decision: ApprovalDecision, change: Partial<Payout> = {}): Payout {
  const { approval } = waiting;
  if (approval === undefined) throw new Error("it needs approval");
  const progress = { stage: "queued" } as const;
  return { ...waiting, progress, approval: { ...approval, decision }, ...change };
}

it("a payout that needs approval waits for it from its claim on", () => {
  expect(waiting.progress).toEqual({ stage: "awaiting_approval" });
  expect(waiting.approval).toEqual({
    ...{ reasons: ["amount"], expiresAt: after(3_600), decision: undefined },
    digest: approvalDigest(waiting),
  });
  expect(newPayout(quote, order)).toMatchObject({
    progress: { stage: "queued" },
    approval: undefined,
  });
});

it("a payout with an earlier approval awaits none and is bound to its content", () => {
  const given = { by: member, operationId: "op_2", at: after(-60) };
  const payout = newPayout(quote, { ...order, approval: { ...need, given } });
  expect(payout).toMatchObject({ progress: { stage: "queued" }, approval: { decision: given } });
  expect([isAsApproved(payout), approvalState(payout)]).toEqual([true, "approved"]);
  expect(isAsApproved({ ...payout, quote: { ...quote, sourceMinor: 1n } })).toBe(false);
  // It is not open for its rail before its creation.
  expect(openSince(payout)).toEqual(payout.createdAt);
  expect(openSince(decided(approved))).toEqual(after(60));
});

it("the platform's share of a settlement is what its rail and its approvers did not take", () => {
  const opened = decided(approved, { submittedAt: after(61), updatedAt: after(3_600) });
  expect(settlementOverheadMs(opened, after(3_602))).toBe(3_000);
  expect(settlementOverheadMs({ ...opened, submittedAt: undefined }, after(3_602))).toBe(undefined);
  // Clocks of two processes differ.
  expect(settlementOverheadMs({ ...opened, submittedAt: after(59) }, after(3_599))).toBe(0);
});

it("the digest changes with any approved content", () => {
  const { beneficiary } = quote;
  const changes: Partial<typeof quote>[] = [
    ...[{ id: "quo_2" }, { merchantId: "mer_2" }, { accountId: "acc_2" }, { corridorId: "cor_2" }],
    ...[{ source: "INR" }, { destination: "USD" }, { exchangeRate: "0.996" }],
    ...[{ sourceMinor: 1n }, { feesMinor: 1n }, { receivingMinor: 1n }],
    { returnCharges: "merchant" },
    ...Object.keys(beneficiary).map((name) => ({ beneficiary: { ...beneficiary, [name]: "x" } })),
  ];
  const details = [
    ...["referenceId", "remittanceInformation", "purposeCode"].map((name) => ({ [name]: "x" })),
    { metadata: { order: "7" } },
  ].map((change) => ({ ...order, details: { ...order.details, ...change } }));
  const all = [
    ...changes.map((change) => ({ ...waiting, quote: { ...quote, ...change } })),
    ...details.map((each) => ({ ...waiting, order: each })),
    ...[{ ...waiting, id: "po_x" }, waiting],
  ];
  expect(new Set(all.map(approvalDigest)).size).toBe(changes.length + details.length + 2);
});

it.each<[string, Payout, boolean]>([
  ["one that needs no approval", newPayout(quote, order), true],
  ["one that was approved", decided(approved), true],
  ["one of another amount", decided(approved, { quote: { ...quote, sourceMinor: 1n } }), false],
  ["one that waits", waiting, false],
  ["one that was rejected", decided({ ...approved, as: "rejected", reason: "no" }), false],
])("may be sent as it is: %s", (_what, payout, isSent) => {
  expect(isAsApproved(payout)).toBe(isSent);
});

describe("a decision", () => {
  const ask = { as: "approved", by: member, operationId: "op_3" } as const;
  const contradicted = {
    ...waiting,
    exception: { kind: "contradicted", since: after(0) } as const,
  };

  it.each<[string, Payout, Partial<typeof ask> | object, unknown]>([
    ["on one that waits", waiting, {}, "decide"],
    ["by who executed it", waiting, { by: key }, "ACCESS_FORBIDDEN"],
    ["by another key", waiting, { by: { ...key, id: "key_2" } }, "decide"],
    [
      "by a key of the same root",
      waiting,
      { by: { ...key, id: "key_2", root: "key_1" } },
      "ACCESS_FORBIDDEN",
    ],
    ["on one that was decided on", decided(approved), {}, "NOT_AWAITING_APPROVAL"],
    ["that is a repeat", decided(approved), { operationId: "op_2" }, "done"],
    [
      "that is another one's operation",
      decided(approved),
      { as: "rejected", operationId: "op_2" },
      "NOT_AWAITING_APPROVAL",
    ],
    ["on one that needs none", newPayout(quote, order), {}, "NOT_AWAITING_APPROVAL"],
    ["on one whose rail contradicts itself", contradicted, {}, "NOT_AWAITING_APPROVAL"],
  ])("%s", (_what, payout, change, answer) => {
    const found = decidable(payout, key, { ...ask, ...change });
    expect(typeof found === "string" ? found : found.refused).toBe(answer);
  });
});

it("has a state: waiting, decided, or cancelled with its payout", () => {
  expect(approvalState(waiting)).toBe("waiting");
  expect(approvalState(decided(approved))).toBe("approved");
  expect(approvalState({ ...waiting, progress: { stage: "cancelled" } })).toBe("cancelled");
  expect(approvalState(decided({ as: "expired", at: after(1) }))).toBe("expired");
});
