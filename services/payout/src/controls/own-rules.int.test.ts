import { Code, ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApprovalRequiredSchema,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

let merchants = 0;
const newMerchant = () => `mer_rules_${++merchants}`;
const by = (id: string) => ({
  mutation: {
    operationId: platform.operation().operationId,
    actor: { kind: Actor_Kind.MEMBER, id },
  },
});
const usd = (minimum: string) => ({ amounts: [{ currencyCode: "USD", minimum }] });

const set = (merchantId: string, rules: object, own: object = by("mem_mia")) =>
  platform.rpc.setApprovalRules({ ...own, merchantId, ...rules });

async function rulesOf(merchantId: string) {
  const { rules } = await platform.rpc.getApprovalRules({ merchantId });
  return rules?.amounts.map(({ currencyCode, minimum }) => `${currencyCode} ${minimum}`);
}

async function proposed(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable("needs no approval"),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  return error.findDetails(ApprovalRequiredSchema)[0] ?? expect.unreachable(error.message);
}
type Proposed = Awaited<ReturnType<typeof proposed>>;

const approve = (merchantId: string, who: string, { proposalId, contentDigest }: Proposed) =>
  platform.proposalsRpc.approveProposal({ ...by(who), merchantId, proposalId, contentDigest });

async function proposalOf(merchantId: string, proposalId: string) {
  const principal = { kind: "service", name: "gateway" } as const;
  const read = { merchantId, proposalId, actor: by("mem_alma").mutation.actor };
  const { proposal } = await withCallContext({ requestId: "r", principal }, () =>
    platform.proposalsRpc.getProposal(read),
  );
  return proposal;
}
const stateOf = async (merchantId: string, proposalId: string) =>
  (await proposalOf(merchantId, proposalId))?.state;

const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.message ?? Code[ConnectError.from(error).code],
  );

describe("a merchant's own approval rules", () => {
  it("are tightened at once, and loosened only by a second actor", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("100.00"));
    await set(merchantId, { ...usd("50.00"), newBeneficiaryDays: 2 });
    expect(await rulesOf(merchantId)).toEqual(["USD 50.00"]);
    const wanted = await proposed(set(merchantId, usd("75.00")));
    expect(await rulesOf(merchantId)).toEqual(["USD 50.00"]);
    const proposal = await proposalOf(merchantId, wanted.proposalId);
    expect(proposal?.reasons).toEqual([
      "amounts in USD need approval from 75.00, not 50.00",
      "a beneficiary is new for 0 days, not 2",
    ]);
    expect(JSON.parse(proposal?.before ?? "")).toEqual({
      amounts: [{ currency_code: "USD", minimum: "50.00" }],
      ...{ new_beneficiary_days: 2, lasts_seconds: 86_400 },
    });
    expect(await messageOf(approve(merchantId, "mem_mia", wanted))).toContain("your own proposal");
    await approve(merchantId, "mem_alma", wanted);
    expect(await rulesOf(merchantId)).toEqual(["USD 75.00"]);
  });

  it("change nothing by a proposal that a tightening has overtaken", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    const wanted = await proposed(set(merchantId, usd("75.00")));
    await set(merchantId, usd("10.00"));
    expect(await messageOf(approve(merchantId, "mem_alma", wanted))).toContain("has changed");
    expect(await rulesOf(merchantId)).toEqual(["USD 10.00"]);
  });

  it("keep a tightening made before an approved loosening ran late", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    const { proposalId } = await proposed(set(merchantId, usd("75.00")));
    await set(merchantId, usd("10.00"));
    await platform.runLate(proposalId);
    expect(await rulesOf(merchantId)).toEqual(["USD 10.00"]);
    expect(await stateOf(merchantId, proposalId)).toBe(ProposalState.SUPERSEDED);
  });

  it("keep a tightening made since an approved loosening ran that is run again", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    const wanted = await proposed(set(merchantId, usd("75.00")));
    await approve(merchantId, "mem_alma", wanted);
    await set(merchantId, usd("10.00"));
    await platform.runLate(wanted.proposalId);
    expect(await rulesOf(merchantId)).toEqual(["USD 10.00"]);
    expect(await stateOf(merchantId, wanted.proposalId)).toBe(ProposalState.EXECUTED);
  });

  it("keep a tightening by another actor while the same rules are sent again", async () => {
    for (let at = 0; at < 5; at += 1) {
      const merchantId = newMerchant();
      await set(merchantId, usd("100.00"));
      const repeats = Array.from({ length: 6 }, () =>
        messageOf(set(merchantId, usd("100.00"), by("mem_mallory"))),
      );
      await set(merchantId, usd("1.00"), by("mem_alma"));
      const outcomes = await Promise.all(repeats);
      expect(await rulesOf(merchantId)).toEqual(["USD 1.00"]);
      for (const each of outcomes) expect(each).toMatch(/^OK$|must approve/);
    }
  });

  it("are read as the RPC reads them, so that blanks hide no loosening", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    await proposed(set(merchantId, usd(" 75.00 ")));
    expect(await rulesOf(merchantId)).toEqual(["USD 50.00"]);
  });

  it.each<[string, object, string]>([
    [
      "no currency",
      { amounts: [{ currencyCode: "XXX", minimum: "1" }] },
      "amounts[0].currency_code",
    ],
    ["an amount twice", { amounts: [...usd("1").amounts, ...usd("2").amounts] }, "be repeated"],
    ["too many decimals", usd("1.001"), "amounts[0].minimum"],
    ["a long time", { approvalLastsSeconds: 604_801 }, "approval_lasts_seconds"],
    ["a year and a day", { newBeneficiaryDays: 366 }, "new_beneficiary_days"],
  ])("are refused with %s, and stay", async (_what, rules, problem) => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    expect(await messageOf(set(merchantId, rules))).toContain(problem);
    expect(await rulesOf(merchantId)).toEqual(["USD 50.00"]);
  });

  it("of a merchant without another actor are loosened by an operator", async () => {
    const merchantId = newMerchant();
    await set(merchantId, usd("50.00"));
    const wanted = await proposed(set(merchantId, { operatorDecides: true }));
    const { proposalId, contentDigest } = wanted;
    const mutation = { ...platform.operation(), actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
    await platform.proposalsRpc.approveProposal({ mutation, proposalId, contentDigest });
    expect(await rulesOf(merchantId)).toEqual([]);
  });

  it("leave the operators' duplicate guard as it is", async () => {
    const merchantId = newMerchant();
    const mutation = { ...platform.operation(), actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
    const duplicateWindowSeconds = 60;
    await platform.operatorRpc.setPayoutControls({ mutation, merchantId, duplicateWindowSeconds });
    await set(merchantId, usd("50.00"));
    const { controls } = await platform.operatorRpc.getPayoutControls({ merchantId });
    expect(controls).toMatchObject({ duplicateWindowSeconds, approval: usd("50.00") });
  });

  it("are set once per operation", async () => {
    const merchantId = newMerchant();
    const own = by("mem_mia");
    await set(merchantId, usd("50.00"), own);
    await set(merchantId, usd("40.00"));
    await set(merchantId, usd("50.00"), own);
    expect(await rulesOf(merchantId)).toEqual(["USD 40.00"]);
    expect(await messageOf(set(merchantId, usd("60.00"), own))).toContain("other content");
  });
});

it("a payout that awaits approval keeps waiting when the rule is gone", async () => {
  const merchantId = newMerchant();
  await set(merchantId, usd("5.00"));
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = platform.quote(accountId, { merchantId });
  const { payoutId } = await platform.rpc.executePayout({ ...by("mem_max"), merchantId, quoteId });
  const subStatus = async () =>
    (await platform.rpc.getPayout({ merchantId, payoutId })).payout?.subStatus;
  expect(await subStatus()).toBe(PayoutSubStatus.AWAITING_APPROVAL);
  const wanted = await proposed(set(merchantId, {}));
  await approve(merchantId, "mem_alma", wanted);
  expect(await rulesOf(merchantId)).toEqual([]);
  await platform.work();
  expect(await subStatus()).toBe(PayoutSubStatus.AWAITING_APPROVAL);
});
