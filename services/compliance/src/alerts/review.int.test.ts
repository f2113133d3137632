import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  AlertState,
  ComplianceReviewService,
  Decision,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Subject } from "../screening/rules/screening.ts";
import { refusalOf } from "../test-compliance.ts";
import {
  hitOf,
  officer,
  proposalOf,
  subjectOf,
  type TestReview,
  testReview,
} from "../test-review.ts";

let review: TestReview;
beforeAll(async () => {
  review = await testReview();
});
afterAll(() => review.end());

async function alerted(subject: Subject = subjectOf()) {
  const { hits } = await review.screen(subject, [hitOf("7")]);
  return { subject, alertId: hits[0]?.alertId ?? "" };
}

const reason = "born forty years apart, other passport";
const falsePositive = { decision: Decision.FALSE_POSITIVE, reason };
const trueMatch = { decision: Decision.TRUE_MATCH, reason };
const stateOf = async (alertId: string) => (await review.rpc.getAlert({ alertId })).alert?.state;

describe("a false positive", () => {
  it("takes effect at once, and is remembered for this party and this entry", async () => {
    const { subject, alertId } = await alerted();
    expect(review.verdictOf(subject)).toBe("review");
    const { alert } = await review.rpc.decideAlert({
      ...officer("ada"),
      alertId,
      ...falsePositive,
    });
    expect(alert).toMatchObject({ id: alertId, state: AlertState.FALSE_POSITIVE, reason });
    expect(alert?.hit?.dismissed).toBe(true);
    expect(alert?.decidedBy).toMatchObject({ kind: Actor_Kind.OPERATOR, id: "ada" });
    expect(review.verdictOf(subject)).toBe("clear");
    const { verdict, hits } = await review.screen(subject, [hitOf("7", { score: 0.8 })]);
    expect([verdict, hits[0]?.dismissed, hits[0]?.alertId]).toEqual(["clear", true, alertId]);
  });

  it("does not apply to another entry, party, list or subject", async () => {
    const { subject, alertId } = await alerted();
    await review.rpc.decideAlert({ ...officer("ada"), alertId, ...falsePositive });
    const seven = hitOf("7");
    const others = [
      review.screen(subject, [seven, hitOf("8")]),
      review.screen(subject, [{ ...seven, entryFingerprint: "changed" }]),
      review.screen(subject, [{ ...seven, list: "other" }]),
      review.screen(subjectOf(), [seven]),
    ];
    for (const each of others) expect((await each).verdict).toBe("review");
  });
});

describe("a true match", () => {
  it("stops the party when a second person approves it, and only then", async () => {
    const { subject, alertId } = await alerted();
    const decided = review.rpc.decideAlert({ ...officer("ada"), alertId, ...trueMatch });
    const proposed = await proposalOf(decided);
    expect(await stateOf(alertId)).toBe(AlertState.OPEN);
    expect(review.verdictOf(subject)).toBe("review");
    const own = review.approvals.approveProposal({ ...officer("Ada"), ...proposed });
    expect((await refusalOf(own))?.code).toBe("ACCESS_FORBIDDEN");
    const { proposal } = await review.approvals.approveProposal({ ...officer("bob"), ...proposed });
    expect(proposal).toMatchObject({ state: ProposalState.EXECUTED, subject: alertId });
    expect(JSON.parse(proposal?.after ?? "")).toEqual({ alertId, decision: "true_match", reason });
    const { alert } = await review.rpc.getAlert({ alertId });
    expect(alert).toMatchObject({ state: AlertState.TRUE_MATCH, reason });
    expect([alert?.decidedBy?.id, alert?.confirmedBy?.id]).toEqual(["ada", "bob"]);
    expect(review.verdictOf(subject)).toBe("block");
  });

  it("that waits keeps others from deciding, until it is rejected or the alert is another", async () => {
    const { subject, alertId } = await alerted();
    const propose = (id: string) =>
      proposalOf(review.rpc.decideAlert({ ...officer(id), alertId, ...trueMatch }));
    const proposed = await propose("ada");
    const clear = () => review.rpc.decideAlert({ ...officer("eve"), alertId, ...falsePositive });
    expect((await refusalOf(clear()))?.message).toMatch(/^proposal prp_\w+ is open/);
    const { proposalId } = proposed;
    await review.approvals.rejectProposal({ ...officer("bob"), proposalId, reason });
    const second = await propose("ada");
    // A different score needs a new decision.
    await review.screen(subject, [hitOf("7", { score: 0.8 })]);
    expect((await clear()).alert?.state).toBe(AlertState.FALSE_POSITIVE);
    const late = review.approvals.approveProposal({ ...officer("bob"), ...second });
    expect((await refusalOf(late))?.message).toMatch(/is superseded$/);
    expect(await stateOf(alertId)).toBe(AlertState.FALSE_POSITIVE);
  });

  it("is taken back by another person than who confirmed it", async () => {
    const { subject, alertId } = await alerted();
    await review.trueMatch(alertId, reason);
    const reopen = (id: string) => review.rpc.reopenAlert({ ...officer(id), alertId, reason });
    expect((await refusalOf(reopen("bob")))?.code).toBe("INVALID_REQUEST");
    expect(review.verdictOf(subject)).toBe("block");
    expect((await reopen("ada")).alert?.state).toBe(AlertState.OPEN);
    expect(review.verdictOf(subject)).toBe("review");
  });
});

describe("a repeat of an operation", () => {
  it("gets the first result, and changes nothing", async () => {
    const { alertId } = await alerted();
    const assign = { ...officer("ada"), alertId, assignee: "eve" };
    const first = await review.rpc.assignAlert(assign);
    await review.rpc.decideAlert({ ...officer("eve"), alertId, ...falsePositive });
    const again = await review.rpc.assignAlert(assign);
    expect(again.alert?.state).toBe(AlertState.OPEN);
    expect(again.alert?.updatedAt).toEqual(first.alert?.updatedAt);
    expect(await stateOf(alertId)).toBe(AlertState.FALSE_POSITIVE);
    expect((await review.rpc.listReviewEntries({ alertId })).entries).toHaveLength(2);
  });

  it("reopens no confirmed match, however many actions came after the first try", async () => {
    const { alertId } = await alerted();
    await review.rpc.decideAlert({ ...officer("ada"), alertId, ...falsePositive });
    const reopening = { ...officer("ada"), alertId, reason };
    await review.rpc.reopenAlert(reopening);
    for (let assigned = 0; assigned < 100; assigned += 1) {
      await review.rpc.assignAlert({ ...officer("ada"), alertId, assignee: "eve" });
    }
    await review.trueMatch(alertId, reason);
    await review.rpc.reopenAlert(reopening);
    expect(await stateOf(alertId)).toBe(AlertState.TRUE_MATCH);
  });

  it("with another body is refused, on this alert and on another one", async () => {
    const { alertId } = await alerted();
    const other = await alerted();
    const by = officer("ada", "once-1");
    await review.rpc.decideAlert({ ...by, alertId, decision: Decision.ESCALATED, reason });
    const others = [
      review.rpc.decideAlert({ ...by, alertId, ...falsePositive }),
      review.rpc.decideAlert({
        ...by,
        alertId,
        decision: Decision.ESCALATED,
        reason: `${reason}!`,
      }),
      review.rpc.assignAlert({ ...by, alertId, assignee: "" }),
      review.rpc.assignAlert({ ...officer("eve", "once-1"), alertId, assignee: "" }),
      review.rpc.assignAlert({ ...by, alertId: other.alertId, assignee: "eve" }),
    ];
    for (const each of others.map(refusalOf)) {
      expect((await each)?.message).toContain("operation_id");
    }
    expect(await stateOf(other.alertId)).toBe(AlertState.OPEN);
  });

  it("ten times concurrently changes the alert once", async () => {
    const { alertId } = await alerted();
    const by = officer("ada");
    const all = Array.from({ length: 10 }, () =>
      review.rpc.decideAlert({ ...by, alertId, ...falsePositive }),
    );
    for (const { alert } of await Promise.all(all)) {
      expect(alert?.state).toBe(AlertState.FALSE_POSITIVE);
    }
    expect((await review.rpc.listReviewEntries({ alertId })).entries).toHaveLength(1);
  });
});

it("one of two concurrent decisions is taken", async () => {
  const { alertId } = await alerted();
  const all = ["ada", "bob", "eve"].map((id) =>
    refusalOf(review.rpc.decideAlert({ ...officer(id), alertId, ...falsePositive })),
  );
  const refusals = (await Promise.all(all)).map((refusal) => refusal?.code ?? "done");
  expect(refusals.toSorted()).toEqual(["INVALID_REQUEST", "INVALID_REQUEST", "done"]);
});

describe("refusals", () => {
  it("a service, whatever person it names", async () => {
    const { alertId } = await alerted();
    const by = officer("ada");
    const service = review.connect(testTrust.service("beneficiary"));
    const denied = service.rpc.decideAlert({ ...by, alertId, ...falsePositive });
    await expect(denied).rejects.toMatchObject({ code: Code.PermissionDenied });
    await service.close();
    // Even if one person could open it, the change would need an approval.
    const another = await review.startAnother();
    const transport = createRouterTransport((router) => {
      router.service(ComplianceReviewService, another.rpc);
    }, namedCallers);
    const rpc = createClient(ComplianceReviewService, transport);
    for (const kind of [Actor_Kind.SERVICE, Actor_Kind.API_KEY]) {
      const mutation = { operationId: "op", actor: { kind, id: "robot" } };
      const calls = [
        rpc.assignAlert({ mutation, alertId, assignee: "eve" }),
        rpc.decideAlert({ mutation, alertId, ...falsePositive }),
        rpc.reopenAlert({ mutation, alertId, reason }),
      ];
      for (const call of calls.map(refusalOf)) expect((await call)?.code).toBe("ACCESS_FORBIDDEN");
    }
    await another.stop();
    expect(await stateOf(alertId)).toBe(AlertState.OPEN);
  });

  it("one person in two persons' names", async () => {
    const { subject, alertId } = await alerted();
    const [ada, deciding] = [
      review.connect(testTrust.person("ada")),
      review.connectApprovals(testTrust.person("ada")),
    ];
    const decided = ada.rpc.decideAlert({ ...officer("ada"), alertId, ...trueMatch });
    const proposed = await proposalOf(decided);
    const approved = deciding.rpc.approveProposal({ ...officer("bob"), ...proposed });
    expect((await refusalOf(approved))?.code).toBe("ACCESS_FORBIDDEN");
    await ada.close();
    await deciding.close();
    expect(await stateOf(alertId)).toBe(AlertState.OPEN);
    expect(review.verdictOf(subject)).toBe("review");
    expect((await review.rpc.getAlert({ alertId })).entries).toEqual([]);
  });

  it("a true match that comes without a second person, in whatever way", async () => {
    const { subject, alertId } = await alerted();
    const another = await review.startAnother();
    const transport = createRouterTransport((router) => {
      router.service(ComplianceReviewService, another.rpc);
    }, namedCallers);
    const { decideAlert } = createClient(ComplianceReviewService, transport);
    const alone = decideAlert({ ...officer("ada"), alertId, ...trueMatch });
    expect((await refusalOf(alone))?.code).toBe("ACCESS_FORBIDDEN");
    await another.stop();
    expect(review.verdictOf(subject)).toBe("review");
  });

  it("an approval without a fresh sign-in", async () => {
    const { alertId } = await alerted();
    const decided = review.rpc.decideAlert({ ...officer("ada"), alertId, ...trueMatch });
    const proposed = await proposalOf(decided);
    const hourAgo = { signedInAt: new Date(Date.now() - 3_600_000) };
    const bob = review.connectApprovals(testTrust.person("bob", ["compliance_approver"], hourAgo));
    const approved = bob.rpc.approveProposal({ ...officer("bob"), ...proposed });
    await expect(approved).rejects.toMatchObject({
      code: Code.Unauthenticated,
      message: expect.stringContaining("insufficient_user_authentication"),
    });
    // An RPC that requires no approval is served.
    const waiting = await bob.rpc.listProposals({ subject: alertId, waitingForCaller: true });
    expect(waiting.proposals.map(({ id }) => id)).toEqual([proposed.proposalId]);
    await bob.close();
  });

  it("an unknown alert", async () => {
    const alertId = "alr_none";
    const calls = [
      review.rpc.getAlert({ alertId }),
      review.rpc.assignAlert({ ...officer("ada"), alertId, assignee: "eve" }),
      review.rpc.decideAlert({ ...officer("ada"), alertId, ...falsePositive }),
      review.rpc.decideAlert({ ...officer("ada"), alertId, ...trueMatch }),
      review.rpc.reopenAlert({ ...officer("ada"), alertId, reason }),
    ];
    for (const call of calls.map(refusalOf)) expect((await call)?.code).toBe("RECORD_NOT_FOUND");
  });

  it("fields outside their bounds, by name", async () => {
    const { alertId } = await alerted();
    const by = officer("ada");
    const calls: [string, Promise<unknown>][] = [
      ["reason", review.rpc.decideAlert({ ...by, alertId, ...falsePositive, reason: "too few" })],
      ["reason", review.rpc.reopenAlert({ ...by, alertId, reason: "x".repeat(1_001) })],
      ["reason", review.rpc.reopenAlert({ ...by, alertId, reason: "ten and\u0000 more" })],
      ["decision", review.rpc.decideAlert({ ...by, alertId, reason })],
      ["assignee", review.rpc.assignAlert({ ...by, alertId, assignee: "two words" })],
      ["states", review.rpc.listAlerts({ states: [AlertState.UNSPECIFIED] })],
      ["limit", review.rpc.listAlerts({ limit: 101 })],
      ["cursor", review.rpc.listAlerts({ cursor: "none" })],
      ["cursor", review.rpc.listReviewEntries({ cursor: "-1" })],
    ];
    const refusals = calls.map(([field, call]) => [field, refusalOf(call)] as const);
    for (const [field, refused] of refusals) {
      const refusal = await refused;
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
      expect(refusal?.message).toContain(`${field}: `);
    }
  });
});

describe("the audit trail", () => {
  it("lists the actions on an alert, oldest first, and chains them", async () => {
    const { alertId } = await alerted();
    const call = { alertId };
    await review.rpc.assignAlert({ ...officer("ada"), ...call, assignee: "bob" });
    await review.rpc.decideAlert({
      ...{ ...officer("bob"), ...call },
      ...{ decision: Decision.ESCALATED, reason: "for the lawyers to read" },
    });
    await review.trueMatch(alertId, reason, ["bob", "eve"]);
    await review.rpc.reopenAlert({ ...officer("ada"), ...call, reason: "a new passport came" });
    const { entries, screening, alert } = await review.rpc.getAlert(call);
    expect(entries.map(({ action, detail, actor }) => [actor?.id, action, detail])).toEqual([
      ["ada", "alert.assigned", "bob"],
      ["bob", "alert.escalated", "for the lawyers to read"],
      ["bob", "alert.true_match", `approved by eve: ${reason}`],
      ["ada", "alert.reopened", "a new passport came"],
    ]);
    expect(screening?.id).toBe(alert?.screeningId);
    expect(screening?.parties.map(({ name }) => name)).toEqual(["Orlan Vessik"]);
    expect(screening?.hits.map((hit) => hit.alertId)).toEqual([alertId]);
    const all = await everyEntry();
    expect(all.map(({ sequence }) => Number(sequence))).toEqual(all.map((_each, at) => at + 1));
    expect(all.slice(1).map(({ previousHash }) => previousHash)).toEqual(
      all.slice(0, -1).map(({ hash }) => hash),
    );
  });

  const everyEntry = async () => {
    const all = [];
    for (let cursor: string | undefined; cursor !== ""; ) {
      const page = await review.rpc.listReviewEntries({ limit: 7, ...(cursor && { cursor }) });
      all.push(...page.entries);
      cursor = page.nextCursor;
    }
    return all.toReversed();
  };

  it("is not listed where an entry was changed", async () => {
    const { alertId } = await alerted();
    await review.rpc.assignAlert({ ...officer("ada"), alertId, assignee: "bob" });
    const entries = review.database.db.collection("audit_entries");
    await entries.updateOne({ subject: alertId }, { $set: { person: "eve" } });
    await expect(review.rpc.listReviewEntries({ alertId })).rejects.toThrow(/internal/i);
    await entries.updateOne({ subject: alertId }, { $set: { person: "ada" } });
    await expect(review.rpc.listReviewEntries({ alertId })).resolves.toBeDefined();
  });
});
