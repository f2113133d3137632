import { Code, ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ApprovalRequiredSchema } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
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

async function approved(instructions: string) {
  const error = await set(instructions).then(
    () => expect.unreachable("needs no approval"),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  const { proposalId, contentDigest } =
    error.findDetails(ApprovalRequiredSchema)[0] ?? expect.unreachable(error.message);
  const approve = (who: string) =>
    platform.proposalsRpc.approveProposal({ ...by(who), proposalId, contentDigest });
  expect(await outcome(approve("ada"))).toContain("is your own proposal");
  return approve("bob");
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
