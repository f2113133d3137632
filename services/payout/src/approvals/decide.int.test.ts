import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  ApprovalReason,
  ApprovalState,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  PayoutCause,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPayout } from "../payouts/store.ts";
import type { StandInQuote } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  Object.assign(platform.world, { offsetMs: 0, beneficiarySince: new Date(0) });
  platform.world.screening = ScreeningStatus.CLEARED;
  platform.faults.claim = () => undefined;
  await setRules({ amounts: [{ currencyCode: "USD", minimum: "10.00" }] });
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

type Rules = { amounts?: { currencyCode: string; minimum: string }[]; newBeneficiaryDays?: number };

const by = (id: string, kind: Actor_Kind = Actor_Kind.API_KEY) => ({
  mutation: { operationId: platform.operation().operationId, actor: { kind, id } },
  merchantId,
});

async function setRules(approval: Rules | undefined) {
  const { mutation } = by("ada", Actor_Kind.OPERATOR);
  const controls = { mutation, merchantId, approval: approval ?? {} };
  await platform.operatorRpc.setPayoutControls(controls);
}

async function execute(quoteId = platform.quote(accountId)): Promise<string> {
  const { payoutId } = await platform.rpc.executePayout({ ...by("key_1"), quoteId });
  return payoutId;
}

const approve = (payoutId: string, who = by("key_2"), digest = "") =>
  platform.rpc.approvePayout({ ...who, payoutId, digest });
const reject = (payoutId: string, who = by("key_2"), reason = "disputed") =>
  platform.rpc.rejectPayout({ ...who, payoutId, reason });
const cancel = (payoutId: string) => platform.rpc.cancelPayout({ ...by("key_1"), payoutId });

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const { code, reason } = readRefusal(error) ?? { code: Code[(error as ConnectError).code] };
      return reason === undefined ? code : `${code} ${reason}`;
    },
  );

async function stateOf(payoutId: string) {
  const payout = await findPayout(platform.payouts, payoutId);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return [payout?.progress.stage, `${account?.available} + ${account?.held}`];
}
const waiting = ["awaiting_approval", "90.00 + 10.00"];
const cancelled = ["cancelled", "100.00 + 0.00"];

/** Makes the approval expire a moment ago, by the database's clock. */
async function expire(payoutId: string) {
  const ended = new Date(Date.now() - 1_000);
  const end = { "approval.expires_at": ended, work_due_at: ended };
  await platform.payouts.updateOne({ _id: payoutId }, { $set: end });
}

describe("a payout that needs approval", () => {
  it("waits with its money held, and no rail gets it", async () => {
    const payoutId = await execute();
    await platform.after(60_000);
    expect(await stateOf(payoutId)).toEqual(waiting);
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(payout).toMatchObject({
      ...{ status: PayoutStatus.INITIATED, subStatus: PayoutSubStatus.AWAITING_APPROVAL },
      approval: { state: ApprovalState.WAITING, reasons: [ApprovalReason.AMOUNT], reason: "" },
    });
    expect(payout?.approval?.digest).toMatch(/^[0-9a-f]{64}$/);
    const lasts = Number(payout?.approval?.expiresAt?.seconds) - Number(payout?.createdAt?.seconds);
    expect(lasts).toBe(86_400);
    const subStatus = PayoutSubStatus.AWAITING_APPROVAL;
    const listed = await platform.rpc.listPayouts({ merchantId, subStatus });
    expect(listed.payouts.map(({ id }) => id)).toContain(payoutId);
    const queued = { merchantId, subStatus: PayoutSubStatus.QUEUED };
    expect((await platform.rpc.listPayouts(queued)).payouts).toEqual([]);
    const none = { merchantId, subStatus, status: PayoutStatus.FAILED };
    expect((await platform.rpc.listPayouts(none)).payouts).toEqual([]);
  });

  it("is approved by another key, and paid", async () => {
    const payoutId = await execute();
    const { payout } = await approve(payoutId);
    expect(payout).toMatchObject({
      subStatus: PayoutSubStatus.QUEUED,
      approval: { state: ApprovalState.APPROVED, decidedBy: { id: "key_2" } },
    });
    for (const _ of ["submitted", "settled"]) await platform.after(60_000);
    expect(await stateOf(payoutId)).toEqual(["settled", "90.00 + 0.00"]);
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId });
    expect(events.map(({ cause }) => cause).slice(0, 2)).toEqual([
      ...[PayoutCause.EXECUTED, PayoutCause.APPROVED],
    ]);
    const history = await platform.history(payoutId);
    expect(history?.lines.map(({ detail, actor }) => [detail, actor?.id]).slice(0, 2)).toEqual([
      ["executed; needs approval: amount", undefined],
      ["approved", "key_2"],
    ]);
  });

  it("is rejected with a reason, and its money is available at once", async () => {
    const payoutId = await execute();
    const who = by("mem_1", Actor_Kind.MEMBER);
    const { payout } = await reject(payoutId, who);
    expect(payout).toMatchObject({
      ...{ status: PayoutStatus.FAILED, subStatus: PayoutSubStatus.CANCELLED, version: 2 },
      failureCode: "APPROVAL_REJECTED",
      approval: {
        ...{ state: ApprovalState.REJECTED, reason: "disputed" },
        decidedBy: { kind: Actor_Kind.MEMBER, id: "mem_1" },
      },
    });
    expect(await stateOf(payoutId)).toEqual(cancelled);
    expect((await reject(payoutId, who)).payout).toEqual(payout);
    const { payouts } = await platform.rpc.listPayouts({ merchantId });
    expect(payouts[0]?.decidedBy).toMatchObject({ kind: Actor_Kind.MEMBER, id: "mem_1" });
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId });
    expect(events.at(-1)?.cause).toBe(PayoutCause.APPROVAL_REJECTED);
    expect(events).toHaveLength(2);
  });

  it("can't be decided by its executor, by another merchant or without a reason", async () => {
    const payoutId = await execute();
    expect(await codeOf(approve(payoutId, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await codeOf(reject(payoutId, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    const other = { ...by("key_2"), merchantId: "mer_2" };
    expect(await codeOf(approve(payoutId, other))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(reject(payoutId, by("key_2"), ""))).toBe("INVALID_REQUEST");
    expect(await codeOf(approve(payoutId, by("key_2"), "0".repeat(64)))).toBe(
      "STATE_NOT_REACHABLE",
    );
    expect(await stateOf(payoutId)).toEqual(waiting);
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(await codeOf(approve(payoutId, by("key_2"), payout?.approval?.digest))).toBe("OK");
  });

  it("can be cancelled by its executor while it waits", async () => {
    const payoutId = await execute();
    const { payout } = await cancel(payoutId);
    expect(payout).toMatchObject({
      failureCode: "CANCELLED",
      approval: { state: ApprovalState.CANCELLED },
    });
    expect(await stateOf(payoutId)).toEqual(cancelled);
    expect(await codeOf(approve(payoutId))).toBe("NOT_AWAITING_APPROVAL");
  });

  it.each<[string, () => void, string]>([
    ["whose beneficiary is in review", () => screen(ScreeningStatus.REVIEW), forbidden],
    [
      "whose beneficiary is screened",
      () => screen(ScreeningStatus.PENDING),
      "BENEFICIARY_NOT_READY",
    ],
    ["whose corridor is closed", () => corridor(false), "ACCESS_FORBIDDEN corridor_not_open"],
  ])("%s waits on, until that is over", async (_what, before, code) => {
    const payoutId = await execute();
    before();
    expect(await codeOf(approve(payoutId))).toBe(code);
    expect(await stateOf(payoutId)).toEqual(waiting);
    screen(ScreeningStatus.CLEARED);
    corridor(true);
    expect(await codeOf(approve(payoutId))).toBe("OK");
  });

  it("to a beneficiary that is new needs it by that rule, and none by none", async () => {
    await setRules({ newBeneficiaryDays: 1 });
    platform.world.beneficiarySince = new Date();
    const { approval } = (await findPayout(platform.payouts, await execute())) ?? {};
    expect(approval?.reasons).toEqual(["new_beneficiary"]);
    await setRules(undefined);
    expect((await findPayout(platform.payouts, await execute()))?.approval).toBeUndefined();
  });
});

const forbidden = "ACCESS_FORBIDDEN beneficiary_not_cleared";

function screen(status: ScreeningStatus) {
  platform.world.screening = status;
}

function corridor(isOpen: boolean) {
  const all: Iterable<StandInQuote> = platform.quotes.values();
  for (const quote of all) quote.corridorOpen = isOpen;
}

describe("an approval that expires", () => {
  it("cancels its payout, releases the money, and refuses decisions from then on", async () => {
    const payoutId = await execute();
    await expire(payoutId);
    expect(await codeOf(approve(payoutId))).toBe("NOT_AWAITING_APPROVAL");
    expect(await codeOf(reject(payoutId))).toBe("NOT_AWAITING_APPROVAL");
    expect(await stateOf(payoutId)).toEqual(waiting);
    await platform.work();
    expect(await stateOf(payoutId)).toEqual(cancelled);
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(payout).toMatchObject({
      failureCode: "APPROVAL_EXPIRED",
      approval: { state: ApprovalState.EXPIRED },
    });
    expect(payout?.approval?.decidedBy).toBeUndefined();
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId });
    expect(events.at(-1)?.cause).toBe(PayoutCause.APPROVAL_EXPIRED);
  });

  it("is not ended by a clock of this process that is fast", async () => {
    const payoutId = await execute();
    await platform.after(2 * 86_400_000);
    expect(await stateOf(payoutId)).toEqual(waiting);
    expect(await codeOf(approve(payoutId))).toBe("OK");
  });
});

describe("at the same time", () => {
  it.each([1, 2, 3])(
    "of approvals, rejections, a cancellation and the expiry one decides",
    async () => {
      const payoutId = await execute();
      const end = expire(payoutId);
      const deciding = [
        ...[approve(payoutId), approve(payoutId, by("key_3"))],
        ...[reject(payoutId), reject(payoutId, by("key_4")), cancel(payoutId)],
      ];
      await Promise.allSettled([...deciding, end.then(platform.work)]);
      for (const _ of ["submitted", "settled"]) await platform.after(60_000);
      const [stage, balance] = await stateOf(payoutId);
      expect([
        ["cancelled", "100.00 + 0.00"],
        ["settled", "90.00 + 0.00"],
      ]).toContainEqual([stage, balance]);
      const { entries } = await platform.rpc.listEntries({ merchantId, accountId, payoutId });
      expect(entries).toHaveLength(2);
      const { approval } = (await findPayout(platform.payouts, payoutId)) ?? {};
      if (stage === "settled") expect(approval?.decision?.as).toBe("approved");
      else expect(approval?.decision?.as).not.toBe("approved");
    },
  );
});

describe("after a crash", () => {
  it("between hold and claim its payout still needs approval, though the rules have changed", async () => {
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      throw new Error("killed");
    };
    await codeOf(execute(quoteId));
    platform.faults.claim = () => undefined;
    await setRules(undefined);
    platform.world.offsetMs += 6_000;
    await platform.sweep();
    expect(await stateOf(derivedId("payout", quoteId))).toEqual(waiting);
  });

  it("between claim and payout a repeat of the execute needs approval too", async () => {
    const quoteId = platform.quote(accountId);
    platform.faults.afterClaim = () => {
      throw new Error("killed");
    };
    await codeOf(execute(quoteId));
    platform.faults.afterClaim = () => undefined;
    const request = { ...by("key_1"), quoteId };
    expect(await codeOf(platform.rpc.executePayout(request))).toBe("ALREADY_PROCESSED");
    expect(await stateOf(derivedId("payout", quoteId))).toEqual(waiting);
  });

  it("of a rejection its money is released by a worker, or by a repeat", async () => {
    const payoutId = await execute();
    const who = by("key_2");
    const apply = platform.ledger.apply;
    const dies = async () => {
      throw new Error("killed");
    };
    Object.assign(platform.ledger, { apply: dies });
    expect(await codeOf(reject(payoutId, who))).not.toBe("OK");
    Object.assign(platform.ledger, { apply });
    expect((await stateOf(payoutId))[0]).toBe("concluding");
    await platform.after(60_000);
    expect(await stateOf(payoutId)).toEqual(cancelled);
    expect((await reject(payoutId, who)).payout?.failureCode).toBe("APPROVAL_REJECTED");
  });
});

it("a payout that differs from its approval is never sent", async () => {
  const payoutId = await execute();
  await approve(payoutId);
  await platform.payouts.updateOne({ _id: payoutId }, { $set: { beneficiary_id: "ben_2" } });
  await platform.after(60_000);
  const payout = await findPayout(platform.payouts, payoutId);
  expect(payout).toMatchObject({
    progress: { stage: "queued" },
    exception: { kind: "contradicted" },
  });
});
