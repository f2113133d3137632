import { openProposals } from "@disburse/chassis/approvals/store.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ApprovalRequired,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { ExceptionKind } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutCause, RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPayout } from "../payouts/store.ts";
import { annotate } from "../payouts/work.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { personally, resolvers } from "../test-resolutions.ts";
import { resolvePayout } from "./resolve.ts";

const merchantId = "mer_1";
const reason = "the bank's statement of the day";
let platform: TestPlatform;
let accountId = "";
let railStatus: RailReply["status"];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  railStatus = { kind: "unknown" };
  const status = async (): Promise<RailReply> => ({ status: railStatus });
  platform.rails.current = testRail({ submit: status, query: status });
  accountId = await platform.fundedAccount(merchantId, "10000.00");
});

/** A payout whose rail doesn't know the outcome. */
async function unknownPayout(): Promise<string> {
  const id = await platform.execute(accountId, "order");
  await platform.work();
  return id;
}

const settled = { outcome: RailOutcome.SETTLED, transactionReference: "WIRE-1", reason };
const rejected = { outcome: RailOutcome.REJECTED, transactionReference: "", reason };
const returned = { outcome: RailOutcome.RETURNED, transactionReference: "" };

const propose = (payoutId: string, change: object = {}, by = personally("ada")) =>
  resolvers(platform).propose(payoutId, { ...settled, ...change }, by);

const approve = (required: ApprovalRequired, by = personally("bob")) =>
  resolvers(platform).approve(required, by);

const resolve = async (payoutId: string, change: object = {}) =>
  approve(await propose(payoutId, change));

const withdraw = async ({ proposalId }: ApprovalRequired, mutation = personally("ada")) =>
  (await platform.proposalsRpc.withdrawProposal({ mutation, proposalId })).proposal;

const stateOf = async ({ proposalId }: ApprovalRequired) =>
  (await openProposals(platform.database).read(proposalId))?.state;

/** Returns the refusal of a call, or "". */
function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    (error: unknown) => {
      const read = readRefusal(error);
      if (read === undefined) throw error;
      return `${read.code} ${read.message}`;
    },
  );
}

async function summaryOf(id: string) {
  const found = await platform.history(id);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return {
    stage: found?.payout.progress.stage,
    exception: found?.payout.exception?.kind,
    balance: `${account?.available} + ${account?.held}`,
  };
}

const superseded =
  "INVALID_REQUEST proposal_id: the record has changed since the proposal: make a new one";
const resolvedAs = (stage: string, balance: string) => ({ stage, exception: undefined, balance });

async function trail(subject: string) {
  const { entries } = await platform.operatorRpc.listAuditEntries({ subject });
  expect(entries.map((entry) => entry.subject)).toEqual(entries.map(() => subject));
  return entries.map(({ action, actor }) => `${action} by ${actor?.id}`).toReversed();
}

describe("a payout with an exception", () => {
  it.each([
    ["settled", settled, "9990.00 + 0.00", ["hold", "post"]],
    ["rejected", rejected, "10000.00 + 0.00", ["hold", "release"]],
    ["returned", returned, "10000.00 + 0.00", ["hold", "post", "return"]],
  ] as const)("is %s by two persons", async (stage, requested, balance, steps) => {
    const id = await unknownPayout();
    const proposed = await propose(id, requested);
    expect(await stateOf(proposed)).toBe("open");
    expect(await summaryOf(id)).toMatchObject({ stage: "unknown", exception: "unknown" });
    expect(await approve(proposed)).toMatchObject({
      state: ProposalState.EXECUTED,
      subject: id,
      proposedBy: { kind: Actor_Kind.OPERATOR, id: "ada" },
      decidedBy: { kind: Actor_Kind.OPERATOR, id: "bob" },
    });
    await platform.work();
    expect(await summaryOf(id)).toEqual(resolvedAs(stage, balance));
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId, payoutId: id });
    expect(entries.map(({ id: key }) => key.split(":").at(-1)).toReversed()).toEqual(steps);
    expect(await trail(id)).toEqual(["payout.resolved by ada"]);
  });

  it.each([
    ["is not rejected by two persons where its rail may still pay it", false],
    ["is rejected by two persons where its rail never pays it from then on", true],
  ])("%s", async (_what, isTaken) => {
    const asked: string[] = [];
    const status = async (): Promise<RailReply> => ({ status: railStatus });
    const withdraw = async (key: string) => {
      asked.push(key);
      return isTaken;
    };
    platform.rails.current = testRail({ submit: status, query: status, withdraw });
    const id = await unknownPayout();
    const proposed = await propose(id, rejected);
    expect(await refusal(approve(proposed))).toBe(isTaken ? "" : superseded);
    await platform.work();
    expect(await summaryOf(id)).toMatchObject({ stage: isTaken ? "rejected" : "unknown" });
    expect(new Set(asked)).toEqual(new Set([id]));
    expect(await trail(id)).toEqual(isTaken ? ["payout.resolved by ada"] : []);
  });

  it.each([
    ["settled", settled],
    ["returned", returned],
  ])("is %s by two persons, whose rail is told never to pay it first", async (stage, requested) => {
    const status = async (): Promise<RailReply> => ({ status: railStatus });
    const asked: string[] = [];
    const withdraw = async (key: string) => {
      asked.push(`${key} ${(await summaryOf(key)).stage}`);
      return false;
    };
    platform.rails.current = testRail({ submit: status, query: status, withdraw });
    const id = await unknownPayout();
    await resolve(id, requested);
    await platform.work();
    expect(await summaryOf(id)).toMatchObject({ stage });
    expect(asked).toEqual([`${id} unknown`]);
  });

  it("has both persons and the reason in its journal; its merchant reads that it was resolved", async () => {
    const id = await unknownPayout();
    await resolve(id);
    await platform.work();
    const { entries, payout } = await platform.operatorRpc.getPayoutJournal({ payoutId: id });
    expect(payout?.uniqueTransactionReference).toBe("WIRE-1");
    expect(entries.find(({ detail }) => detail.startsWith("resolved"))).toMatchObject({
      stage: "concluding",
      detail: `resolved as settled WIRE-1, proposed by ada, approved by bob: ${reason}`,
      actor: { kind: Actor_Kind.OPERATOR, id: "bob" },
    });
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId: id });
    expect(events.at(-1)?.cause).toBe(PayoutCause.RESOLVED);
    await expect(platform.operatorRpc.getPayoutJournal({ payoutId: "po_x" })).rejects.toThrow(
      "RECORD_NOT_FOUND",
    );
  });

  it("is listed with its open proposal, those that wait longest first, in pages", async () => {
    const ids: string[] = [];
    for (const _each of [1, 2, 3]) {
      ids.push(await unknownPayout());
      platform.world.offsetMs += 1_000;
    }
    const { proposalId } = await propose(ids[1] as string);
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await platform.operatorRpc.listPayoutExceptions({
        ...{ limit: 2, cursor, kind: ExceptionKind.UNKNOWN },
      });
      seen.push(...page.exceptions.map((each) => `${each.payout?.id} ${each.proposalId}`));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen.filter((each) => ids.includes(each.split(" ")[0] ?? ""))).toEqual([
      ...[`${ids[0]} `, `${ids[1]} ${proposalId}`, `${ids[2]} `],
    ]);
    const of = (kind: ExceptionKind) =>
      platform.operatorRpc.listPayoutExceptions({ kind, limit: 100 });
    expect((await of(ExceptionKind.CONTRADICTED)).exceptions).toEqual([]);
    const found = (await of(ExceptionKind.UNSPECIFIED)).exceptions.find(
      ({ payout }) => payout?.id === ids[0],
    );
    expect(found).toMatchObject({ kind: ExceptionKind.UNKNOWN, rail: "scripted" });
  });

  it("that no rail was given can be rejected, and nothing else", async () => {
    platform.rails.current = undefined;
    const id = await platform.execute(accountId, "order");
    const payout = await findPayout(platform.payouts, id);
    if (payout === undefined) throw new Error("no payout");
    const exception = { kind: "stuck", since: new Date() } as const;
    await annotate(platform.payouts, payout, { exception });
    expect(await refusal(propose(id))).toBe(
      "INVALID_REQUEST outcome: settled contradicts the payout's sub-status queued",
    );
    await resolve(id, rejected);
    await platform.work();
    expect(await summaryOf(id)).toEqual(resolvedAs("rejected", "10000.00 + 0.00"));
  });
});

it("a decided and contradicted payout can be resolved as returned", async () => {
  const id = await unknownPayout();
  const requested = { payoutId: id, outcome: RailOutcome.SETTLED, transactionReference: "R-1" };
  const report = (change: object = {}) =>
    platform.rpc.reportRailOutcome({ mutation: platform.operation(), ...requested, ...change });
  await report();
  expect(await refusal(report({ amount: "9.99", currencyCode: "USD" }))).toMatch(/^INVALID/);
  expect(await summaryOf(id)).toMatchObject({ stage: "concluding", exception: "contradicted" });
  await resolve(id, returned);
  await platform.work();
  expect(await summaryOf(id)).toEqual(resolvedAs("returned", "10000.00 + 0.00"));
  const { entries } = await platform.operatorRpc.getPayoutJournal({ payoutId: id });
  expect(entries.filter(({ detail }) => detail.startsWith("resolved as returned"))).toHaveLength(1);
});

describe("after its end", () => {
  /** A finished payout whose rail then contradicted itself. */
  async function contradicted(first: RailReply["status"], then: RailOutcome) {
    const id = await unknownPayout();
    railStatus = first;
    await platform.after(70_000);
    const requested = { payoutId: id, outcome: then, transactionReference: "LATE" };
    const mutation = platform.operation();
    await platform.rpc.reportRailOutcome({ mutation, ...requested }).catch(() => undefined);
    expect(await summaryOf(id)).toMatchObject({ stage: first.kind, exception: "contradicted" });
    return id;
  }

  it("a settled payout stays so by its own reference, or is returned", async () => {
    const first = { kind: "settled", reference: "R-1" } as const;
    const id = await contradicted(first, RailOutcome.REJECTED);
    expect(await refusal(propose(id))).toMatch(/^INVALID_REQUEST outcome: is not possible/);
    expect(await refusal(propose(id, rejected))).toMatch(/^INVALID_REQUEST outcome: rejected/);
    await resolve(id, { transactionReference: "R-1" });
    expect(await summaryOf(id)).toEqual(resolvedAs("settled", "9990.00 + 0.00"));
    const { entries } = await platform.operatorRpc.getPayoutJournal({ payoutId: id });
    expect(entries.at(-1)).toMatchObject({ stage: "settled", version: 2 });
    expect(entries.at(-1)?.detail).toContain("proposed by ada, approved by bob");

    const other = await contradicted(first, RailOutcome.REJECTED);
    await resolve(other, returned);
    await platform.work();
    expect(await summaryOf(other)).toEqual(resolvedAs("returned", "9990.00 + 0.00"));
  });

  it("a rejected payout stays rejected after a later report, which raises an exception", async () => {
    const id = await unknownPayout();
    await resolve(id, rejected);
    await platform.work();
    const requested = { payoutId: id, outcome: RailOutcome.SETTLED, transactionReference: "LATE" };
    const report = () =>
      platform.rpc.reportRailOutcome({ mutation: platform.operation(), ...requested });
    expect(await refusal(report())).toMatch(/^INVALID_REQUEST outcome: settled contradicts/);
    const kept = { stage: "rejected", exception: "contradicted", balance: "10000.00 + 0.00" };
    expect(await summaryOf(id)).toEqual(kept);
    expect(await refusal(propose(id))).toMatch(/^INVALID_REQUEST/);
    await resolve(id, rejected);
    expect(await summaryOf(id)).toEqual(resolvedAs("rejected", "10000.00 + 0.00"));
  });
});

describe("is refused", () => {
  it("a resolution by another actor than an operator, or without a reason", async () => {
    const id = await unknownPayout();
    const { operatorRpc } = platform;
    const asked = { mutation: platform.operation(), payoutId: id, ...settled };
    const forbidden = "ACCESS_FORBIDDEN caller: must be an operator";
    expect(await refusal(operatorRpc.resolvePayout(asked))).toBe(forbidden);
    for (const wrong of ["too short", "x".repeat(1_001), "a reason\u0000 of control"]) {
      expect(await refusal(propose(id, { reason: wrong }))).toMatch(/^INVALID_REQUEST reason: /);
    }
    expect(await refusal(propose(id, { transactionReference: "" }))).toMatch(/^INVALID_REQUEST tr/);
    expect(await refusal(propose(id, { outcome: RailOutcome.UNSPECIFIED }))).toMatch(/outcome: is/);
  });

  it("any request of an operator without a second operator", async () => {
    const payoutId = await unknownPayout();
    const by = { person: "ada", operation: "alone" };
    const alone = { payoutId, outcome: { kind: "rejected" }, reason, by } as const;
    expect(await resolvePayout(platform.parts, alone, undefined)).toEqual({
      refused: "ACCESS_FORBIDDEN",
      detail: "caller: another person must approve the resolution",
    });
    expect(await summaryOf(payoutId)).toMatchObject({ stage: "unknown", exception: "unknown" });
  });

  it("an unknown payout, and one without an exception", async () => {
    expect(await refusal(propose("po_x"))).toMatch(/^RECORD_NOT_FOUND/);
    railStatus = { kind: "accepted" };
    expect(await refusal(propose(await unknownPayout()))).toBe(
      "INVALID_REQUEST payout_id: the payout has no exception",
    );
  });

  it("the first person as the second, and a second proposal", async () => {
    const id = await unknownPayout();
    const first = await propose(id);
    expect(await refusal(approve(first, personally("Ada")))).toMatch(/^ACCESS_FORBIDDEN/);
    expect(await refusal(propose(id, rejected, personally("cleo")))).toBe(
      `INVALID_REQUEST proposal ${first.proposalId} is open: decide on it first`,
    );
    expect(await summaryOf(id)).toMatchObject({ stage: "unknown" });
    expect(await withdraw(first)).toMatchObject({ state: ProposalState.WITHDRAWN });
    expect(await refusal(approve(first))).toMatch(/is withdrawn$/);
    expect(await trail(id)).toEqual([]);
    expect((await propose(id, rejected, personally("cleo"))).proposalId).toMatch(/^prp_/);
  });

  it("a proposal whose payout changed by itself, which is superseded", async () => {
    const [approvedLate, listed] = [await unknownPayout(), await unknownPayout()];
    const [late, open] = [await propose(approvedLate), await propose(listed)];
    railStatus = { kind: "settled", reference: "R" };
    await platform.after(70_000);
    expect(await refusal(approve(late))).toBe(superseded);
    expect(await refusal(approve(late))).toMatch(/is superseded$/);
    await platform.operatorRpc.listPayoutExceptions({});
    expect(await stateOf(open)).toBe("superseded");
    expect(await refusal(withdraw(open))).toMatch(/is superseded$/);
  });
});

describe("a repeat", () => {
  it("returns the first result and is in the trail once", async () => {
    const id = await unknownPayout();
    const [ada, bob] = [personally("ada"), personally("bob")];
    const first = await propose(id, {}, ada);
    expect(await propose(id, {}, ada)).toEqual(first);
    const other = await unknownPayout();
    expect(await refusal(propose(other, {}, ada))).toMatch(/with other content$/);
    const approved = await approve(first, bob);
    await platform.work();
    expect(await approve(first, bob)).toEqual(approved);
    expect(await refusal(approve(first, personally("cleo")))).toMatch(/is executed$/);
    // The proposer's repeat returns the present payout.
    const again = { mutation: ada, payoutId: id, ...settled };
    const { payout } = await platform.operatorRpc.resolvePayout(again);
    expect(payout).toMatchObject({ id, uniqueTransactionReference: "WIRE-1" });
    expect(await trail(id)).toHaveLength(1);
  });
});
