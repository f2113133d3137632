import { createClient, createRouterTransport } from "@connectrpc/connect";
import { readApprovalRequired } from "@disburse/chassis/approvals/answers.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { MemberRole, TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mutation, startTestGateway, type TestGateway } from "../test-gateway.ts";

/** Tests attacks by one operator who gives payout rights without a second person. */

let gateway: TestGateway;
let merchantId: string;
beforeAll(async () => {
  gateway = await startTestGateway({ mode: "live" });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  merchantId = newId("merchant");
});

const clients = () => {
  const { teamService, approvals } = gateway.gateway;
  const transport = createRouterTransport((router) => {
    router.service(TeamService, teamService);
    router.service(ApprovalService, approvals.rpc);
  }, namedCallers);
  return {
    team: createClient(TeamService, transport),
    approval: createClient(ApprovalService, transport),
  };
};
const asOlga = (role: MemberRole, by = mutation()) => ({ mutation: by, merchantId, role });
const invitation = (role: MemberRole, by = mutation()) => ({
  ...asOlga(role, by),
  email: `${by.operationId}@acme.example`,
  name: "Mia Maker",
});
/** Returns the proposal that blocks a call, or `undefined` if the call succeeds. */
const proposalOf = (call: Promise<unknown>) => call.then(() => undefined, readApprovalRequired);
const proposals = () => gateway.db.collection("proposals");

describe("a role that an operator gives", () => {
  it("doesn't undo a reduction of the role that another operator makes meanwhile", async () => {
    const { team } = clients();
    for (let round = 0; round < 5; round += 1) {
      const { member } = await team.addMember(invitation(MemberRole.VIEWER));
      const memberId = member?.id ?? "";
      const members = gateway.db.collection<{ _id: string; role: string }>("members");
      await members.updateOne({ _id: memberId }, { $set: { role: "approver" } });
      const same = Array.from({ length: 6 }, () =>
        proposalOf(team.setMemberRole({ ...asOlga(MemberRole.APPROVER), memberId })),
      );
      await team.setMemberRole({ ...asOlga(MemberRole.VIEWER), memberId });
      await Promise.all(same);
      expect((await members.findOne({ _id: memberId }))?.role).toBe("viewer");
    }
  });

  it.each([
    ["maker", 1],
    ["approver", 1],
    ["admin", 1],
    ["viewer", 0],
  ] as const)("to a new %s waits for %i other person", async (name, count) => {
    const role = MemberRole[name.toUpperCase() as Uppercase<typeof name>];
    const request = invitation(role);
    const proposal = await proposalOf(clients().team.addMember(request));
    expect(proposal === undefined ? 0 : 1).toBe(count);
    const { members } = await clients().team.listMembers({ merchantId });
    expect(members).toHaveLength(1 - count);
    if (proposal === undefined) return;
    // The approver reads whom the request would admit. The database does not show it.
    expect(JSON.stringify(await proposals().find().toArray())).not.toContain("Mia");
    const { proposalId, contentDigest } = proposal;
    const bea = {
      operationId: crypto.randomUUID(),
      actor: { kind: Actor_Kind.OPERATOR, id: "bea" },
    };
    const decided = await clients().approval.approveProposal({
      mutation: bea,
      proposalId,
      contentDigest,
    });
    expect(decided.proposal?.after).toContain("Mia Maker");
    const after = await clients().team.addMember(request);
    expect(after.member).toMatchObject({ name: "Mia Maker", role });
  });

  it("awaits approval if it pays or approves more than the previous role", async () => {
    const { team } = clients();
    const { member } = await team.addMember(invitation(MemberRole.VIEWER));
    const memberId = member?.id ?? "";
    const set = (role: MemberRole) =>
      proposalOf(team.setMemberRole({ ...asOlga(role), memberId })).then(
        (each) => each !== undefined,
      );
    const is = (role: "viewer" | "maker" | "approver" | "admin") =>
      gateway.db.collection("members").updateOne({ _id: memberId as never }, { $set: { role } });
    for (const role of [MemberRole.MAKER, MemberRole.APPROVER, MemberRole.ADMIN]) {
      expect(await set(role)).toBe(true);
    }
    await is("maker");
    expect(await set(MemberRole.APPROVER)).toBe(true);
    expect(await set(MemberRole.MAKER)).toBe(false);
    expect(await set(MemberRole.VIEWER)).toBe(false);
    await is("approver");
    expect(await set(MemberRole.ADMIN)).toBe(true);
    expect(
      await proposalOf(team.removeMember({ mutation: mutation(), merchantId, memberId })),
    ).toBe(undefined);
  });

  it("that was approved once, and taken away, is not given again by a repeat", async () => {
    const { team, approval } = clients();
    const { member } = await team.addMember(invitation(MemberRole.VIEWER));
    const memberId = member?.id ?? "";
    const request = { ...asOlga(MemberRole.APPROVER), memberId };
    const { proposalId = "", contentDigest = "" } =
      (await proposalOf(team.setMemberRole(request))) ?? {};
    const bea = { operationId: "bea-1", actor: { kind: Actor_Kind.OPERATOR, id: "bea" } };
    await approval.approveProposal({ mutation: bea, proposalId, contentDigest });
    const repeat = async () => (await team.setMemberRole(request)).member?.role;
    expect(await repeat()).toBe(MemberRole.APPROVER);
    await team.setMemberRole({ ...asOlga(MemberRole.VIEWER), memberId });
    expect(await repeat()).toBe(MemberRole.VIEWER);
  });
});
