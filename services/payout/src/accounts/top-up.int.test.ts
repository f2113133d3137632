import { Code, ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApprovalRequiredSchema,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
const text = "Pay to IBAN DE89 3704 0044 0532 0130 00\nReference: ACME-1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "1.00");
});

const by = (id: string) => ({
  mutation: { ...platform.operation(), actor: { kind: Actor_Kind.OPERATOR, id } },
});
const set = (topUpInstructions: string, own = {}) =>
  platform.rpc.setTopUpInstructions({
    ...by("ada"),
    ...{ merchantId, accountId, topUpInstructions, ...own },
  });
const shown = async () => {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return account?.topUpInstructions;
};
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const { code, message } = readRefusal(error) ?? { code: "", message: String(error) };
      return `${code || Code[ConnectError.from(error).code]}: ${message}`;
    },
  );

async function proposed(instructions: string, own = {}) {
  const error = await set(instructions, own).then(
    () => expect.unreachable("needs no approval"),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  return error.findDetails(ApprovalRequiredSchema)[0] ?? expect.unreachable(error.message);
}

async function approved(instructions: string, own = {}) {
  const { proposalId, contentDigest } = await proposed(instructions, own);
  const approve = (who: string) =>
    platform.proposalsRpc.approveProposal({ ...by(who), proposalId, contentDigest });
  expect(await outcome(approve("ada"))).toContain("is your own proposal");
  return approve("bob");
}

async function stateOf(proposalId: string) {
  const roles = new Set<Role>(["treasury_approver"]);
  const principal = { kind: "person", id: "bob", roles } as const;
  const { proposal } = await withCallContext({ requestId: "r", principal }, () =>
    platform.proposalsRpc.getProposal({ proposalId }),
  );
  return proposal?.state;
}

describe("top-up instructions", () => {
  it("are shown once a second operator has approved them", async () => {
    expect(await shown()).toBe("");
    const { proposal } = await approved(`  ${text.replace("\n", "\r\n")} `);
    expect(JSON.parse(proposal?.after ?? "")).toEqual({
      currencyCode: "USD",
      topUpInstructions: text,
    });
    expect(await shown()).toBe(text);
    const { accounts } = await platform.rpc.listAccounts({ merchantId });
    expect(accounts.find(({ id }) => id === accountId)?.topUpInstructions).toBe(text);
  });

  it("are removed by one operator, who may also repeat the present ones", async () => {
    await approved(text);
    expect(await outcome(set(text))).toBe("OK");
    expect(await outcome(set(""))).toBe("OK");
    expect(await shown()).toBe("");
  });

  it("don't come back by one operator who sends them again while they are changed", async () => {
    await approved(text);
    const { proposalId, contentDigest } = await proposed("Pay to our new bank");
    const approve = platform.proposalsRpc.approveProposal({
      ...by("bob"),
      ...{ proposalId, contentDigest },
    });
    const repeats = Array.from({ length: 8 }, () => outcome(set(text)));
    await approve;
    expect(new Set(await Promise.all(repeats)).size).toBeGreaterThan(0);
    expect(await shown()).toBe("Pay to our new bank");
  });

  it("don't come back by a repeat, however many changes came since", async () => {
    const [approvedOnce, alone] = [by("ada"), by("ada")];
    await approved(text, approvedOnce);
    expect(await outcome(set(text, alone))).toBe("OK");
    await approved("Pay to our new bank");
    for (let each = 0; each < 21; each += 1) expect(await outcome(set(""))).toBe("OK");
    for (const own of [approvedOnce, alone]) {
      expect((await set(text, own)).account?.topUpInstructions).toBe("");
      expect(await shown()).toBe("");
    }
  });

  it("that were removed before an approved request ran late stay removed", async () => {
    await approved(text);
    const { proposalId } = await proposed("Pay to our new bank");
    expect(await outcome(set(""))).toBe("OK");
    await platform.runLate(proposalId);
    expect(await shown()).toBe("");
    expect(await stateOf(proposalId)).toBe(ProposalState.SUPERSEDED);
  });

  it("stay as they are when an approved request that has run is run again", async () => {
    const { proposal } = await approved(text);
    const proposalId = proposal?.id ?? "";
    expect(await outcome(set(""))).toBe("OK");
    await platform.runLate(proposalId);
    expect(await shown()).toBe("");
    expect(await stateOf(proposalId)).toBe(ProposalState.EXECUTED);
  });

  it.each([
    ["more than 2,000 characters", "a".repeat(2_001), "top_up_instructions: must be at most"],
    ["a control character", "a\u0007b", "top_up_instructions: must not contain control characters"],
    ["a direction override", "a\u202eb", "top_up_instructions: must not contain bidirectional"],
  ])("are refused with %s", async (_what, wrong, problem) => {
    expect(await outcome(set(wrong))).toContain(problem);
    expect(await shown()).toBe("");
  });

  it("are of the merchant's own accounts alone", async () => {
    expect(await outcome(set(text, { merchantId: "mer_2" }))).toContain("RECORD_NOT_FOUND");
    expect(await outcome(set(text, { merchantId: "platform" }))).toContain("RECORD_NOT_FOUND");
  });
});
