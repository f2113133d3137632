import { ConnectError } from "@connectrpc/connect";
import {
  ApprovalRequiredSchema,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../mongo/database.ts";
import { ownOpenMax } from "./approvals.ts";
import {
  approvalService,
  approvalsDatabase,
  ask,
  type Caller,
  newWorld,
  openMax,
  operation,
  outcome,
  type World,
} from "./test-approvals.ts";

let database: Database;
beforeAll(async () => {
  database = await approvalsDatabase();
});
afterAll(() => database.close());

let world: World;
beforeEach(async () => {
  world = newWorld();
  await database.db.collection("proposals").deleteMany({});
});

const member = (id: string, root = "") => ({ kind: Actor_Kind.MEMBER, id, root });
type Member = ReturnType<typeof member>;
const merchantId = "mer_1";
const mia = member("mem_mia");
const alma = member("mem_alma");

const rename = (
  { payout }: Caller,
  actor: Member,
  { mutation = operation(), accountId = "acc_1", name = "Payroll" } = {},
) => payout.updateAccount({ mutation: { ...mutation, actor }, merchantId, accountId, name });

async function proposed(caller: Caller, actor: Member, how: Parameters<typeof rename>[2] = {}) {
  const error = await rename(caller, actor, how).then(
    () => expect.unreachable(),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  const detail = error.findDetails(ApprovalRequiredSchema)[0];
  return detail ?? expect.unreachable();
}

type Proposed = Pick<Awaited<ReturnType<typeof proposed>>, "proposalId" | "contentDigest">;
const decide = (
  { approval }: Caller,
  actor: Member,
  { proposalId, contentDigest }: Proposed,
  of = merchantId,
) =>
  approval.approveProposal({
    mutation: { ...operation(), actor },
    merchantId: of,
    proposalId,
    contentDigest,
  });

describe("a merchant's request that needs a second actor", () => {
  it("runs as its proposer when another actor approves what it has read", async () => {
    const { gateway } = approvalService(database, world);
    const mutation = operation();
    const wanted = await proposed(gateway, mia, { mutation });
    expect(await proposed(gateway, mia, { mutation })).toEqual(wanted);
    expect(world.ran).toEqual([]);
    expect(await outcome(decide(gateway, mia, wanted))).toContain("is your own proposal");
    const { proposal } = await decide(gateway, alma, wanted);
    expect(proposal).toMatchObject({
      ...{ state: ProposalState.EXECUTED, approvers: [], after: "Payroll" },
      proposedBy: { kind: Actor_Kind.MEMBER, id: mia.id },
      decidedBy: { kind: Actor_Kind.MEMBER, id: alma.id },
    });
    expect(world.ran).toEqual([{ by: mia.id, approvedBy: alma.id }]);
    // The RPC responds to the repeat, because it knows the operation.
    expect(await outcome(rename(gateway, mia, { mutation }))).toBe("OK");
  });

  it("runs at once where the guard has no reason", async () => {
    const { gateway } = approvalService(database, world);
    expect(await outcome(rename(gateway, mia, { name: "alone" }))).toBe("OK");
  });

  it("is superseded if what it changes has changed meanwhile", async () => {
    const { gateway } = approvalService(database, world);
    const wanted = await proposed(gateway, mia);
    world.before = "tightened";
    expect(await outcome(decide(gateway, alma, wanted))).toContain("the record has changed");
    expect(world.ran).toEqual([]);
  });

  it("is seen and decided by its own merchant alone", async () => {
    const { gateway, bob, sandbox } = approvalService(database, world);
    const wanted = await proposed(gateway, mia);
    const notFound = "Unable to find the record requested.";
    expect(await outcome(decide(gateway, alma, wanted, "mer_2"))).toBe(notFound);
    // An operator who names the merchant is not the merchant.
    expect(await outcome(decide(bob, alma, wanted))).toBe("PermissionDenied");
    expect(await outcome(decide(bob, alma, wanted, ""))).toBe(notFound);
    // Only the gateway acts for merchants.
    expect(await outcome(decide(sandbox, alma, wanted))).toBe("PermissionDenied");
    const asked = async (caller: Caller, request: object) =>
      (await caller.approval.listProposals(request)).proposals.map(({ id }) => id);
    const waiting = { merchantId, waitingForCaller: true };
    expect(await asked(gateway, { ...waiting, actor: alma })).toEqual([wanted.proposalId]);
    expect(await asked(gateway, { ...waiting, actor: mia })).toEqual([]);
    expect(await asked(gateway, { ...waiting, actor: member("mem_x", mia.id) })).toEqual([]);
    expect(await asked(gateway, { merchantId, actor: mia })).toEqual([wanted.proposalId]);
    expect(await asked(gateway, { ...waiting, merchantId: "mer_2", actor: alma })).toEqual([]);
    expect(await asked(bob, { waitingForCaller: true })).toEqual([]);
    const own = await gateway.approval.listProposals({ ...waiting, actor: alma });
    expect(own.totalCount).toBe(1n);
  });

  it("of a merchant without another actor is decided by an operator", async () => {
    const { gateway, bob } = approvalService(database, world);
    const { proposalId, contentDigest } = await proposed(gateway, mia, { accountId: "acc_alone" });
    const waiting = await bob.approval.listProposals({ waitingForCaller: true });
    expect(waiting.proposals).toMatchObject([{ id: proposalId, merchantId }]);
    await bob.approval.approveProposal({ mutation: operation(), proposalId, contentDigest });
    expect(world.ran).toEqual([{ by: mia.id, approvedBy: "bob" }]);
  });

  it("is proposed so often at a time, and takes no place of an operator's", async () => {
    const { gateway, ada } = approvalService(database, world);
    const ofOperators = await Promise.all(
      Array.from({ length: openMax - 1 }, () => outcome(ask(ada))),
    );
    expect(ofOperators.every((each) => each.includes("must approve"))).toBe(true);
    for (let each = 0; each < ownOpenMax; each += 1) await proposed(gateway, mia);
    expect(await outcome(rename(gateway, mia))).toBe("There can be at most 20 open proposals.");
    expect(await outcome(ask(ada))).toContain("must approve");
    expect(await outcome(ask(ada))).toBe("There can be at most 25 open proposals.");
  });

  it("is rejected or withdrawn", async () => {
    const { gateway } = approvalService(database, world);
    const [one, two] = [await proposed(gateway, mia), await proposed(gateway, mia)];
    const ask = (actor: Member, { proposalId }: Proposed) => ({
      mutation: { ...operation(), actor },
      merchantId,
      proposalId,
    });
    const { approval } = gateway;
    const rejected = await approval.rejectProposal({ ...ask(alma, one), reason: "not agreed on" });
    expect(rejected.proposal).toMatchObject({ state: ProposalState.REJECTED });
    expect(await outcome(approval.withdrawProposal(ask(alma, two)))).toContain("only its proposer");
    const withdrawn = await approval.withdrawProposal(ask(mia, two));
    expect(withdrawn.proposal).toMatchObject({ state: ProposalState.WITHDRAWN });
    expect(world.ran).toEqual([]);
  });
});
