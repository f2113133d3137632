import { Code, ConnectError } from "@connectrpc/connect";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { withCallContext } from "../call-context.ts";
import type { Database } from "../mongo/database.ts";
import type { Principal } from "../principal.ts";
import { orThrow } from "../rpc/refusal.ts";
import { supersededRefusal } from "./answers.ts";
import { assertAsChecked } from "./checked.ts";
import {
  approvalService,
  approvalsDatabase,
  approve,
  ask,
  type Caller,
  newWorld,
  openMax,
  operation,
  outcome,
  proposed,
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

const service = () => approvalService(database, world);

describe("an RPC that needs a second person", () => {
  it("changes nothing until another person approves, and then runs once, as its proposer", async () => {
    const { ada, bob } = service();
    world.before = "as it is";
    const wanted = await proposed(ada);
    expect(await proposed(ada, wanted.mutation)).toEqual(wanted);
    expect(world.ran).toEqual([]);
    const by = operation();
    const { proposal } = await approve(bob, wanted, by);
    expect(proposal).toMatchObject({
      ...{ state: ProposalState.EXECUTED, rpc: "disburse.payout.v1.PayoutService/OpenAccount" },
      ...{ merchantId: "mer_1", reasons: ["is not USD"], after: "EUR" },
      ...{ proposedBy: { id: "ada" }, decidedBy: { id: "bob" } },
    });
    expect(world.ran).toEqual([{ by: "ada", approvedBy: "bob" }]);
    expect(world.readBefore).toBe("as it is");
    expect((await approve(bob, wanted, by)).proposal?.state).toBe(ProposalState.EXECUTED);
    expect(world.ran.length).toBe(1);
    // The RPC answers the proposer's repeat, because it knows the operation.
    expect(await outcome(ask(ada, wanted.mutation))).toBe("OK");
  });

  it.each([
    [["USD"], "OK", [{ by: "ada", approvedBy: undefined }]],
    [[], "another person must approve", []],
  ])(
    "is decided again if its record changes before it runs alone: %j",
    async (alone, ends, ran) => {
      const { ada } = service();
      world.before = "as compared";
      world.run = () => {
        const { before } = world;
        if (before === "as compared") Object.assign(world, { before: "changed", alone });
        assertAsChecked(world.before);
      };
      expect(await outcome(ask(ada, operation(), "USD"))).toContain(ends);
      expect(world.ran).toEqual(ran);
    },
  );

  it("is not for one person, whoever they say they are, nor for one without the role", async () => {
    const { ada, eve } = service();
    const wanted = await proposed(ada);
    expect(await outcome(approve(ada, wanted))).toContain("is your own proposal");
    expect(await outcome(approve(eve, wanted))).toBe("Unable to find the record requested.");
    const found = eve.approval.getProposal({ proposalId: wanted.proposalId });
    expect(await outcome(found)).toBe("Unable to find the record requested.");
    expect((await eve.approval.listProposals({})).proposals).toEqual([]);
    expect(world.ran).toEqual([]);
  });

  it("runs at once for services, and where the guard has no reason", async () => {
    const { ada, sandbox } = service();
    expect(await outcome(ask(sandbox))).toBe("OK");
    expect(await outcome(ask(ada, operation(), "USD"))).toBe("OK");
    expect((await ada.approval.listProposals({})).proposals).toEqual([]);
  });

  it("answers a repeat of a request that needed one person like the first time, whatever has changed", async () => {
    const { ada } = service();
    const mutation = operation();
    expect(await outcome(ask(ada, mutation, "USD"))).toBe("OK");
    world.alone = [];
    expect(await outcome(ask(ada, mutation, "USD"))).toBe("OK");
    expect(await outcome(ask(ada, operation(), "USD"))).toMatch(/must approve/);
    // A refused request has no effect.
    world.alone = ["USD"];
    const again = operation();
    world.run = () => orThrow(refused("INVALID_REQUEST", "no"));
    expect(await outcome(ask(ada, again, "USD"))).toBe("no");
    world.alone = [];
    expect(await outcome(ask(ada, again, "USD"))).toMatch(/must approve/);
  });

  it("is proposed at most so often for one merchant at a time", async () => {
    const { ada, bob } = service();
    const open = [];
    for (let at = 0; at < openMax; at += 1) open.push(await proposed(ada));
    expect(await outcome(ask(ada))).toBe("There can be at most 25 open proposals.");
    // A repeat creates no new proposal.
    expect(await proposed(ada, open[0]?.mutation)).toEqual(open[0]);
    const [first] = open;
    if (first === undefined) throw new Error("nothing is proposed");
    await approve(bob, first);
    expect(await proposed(ada)).toBeDefined();
    world.offsetMs = 86_400_001;
    expect(await proposed(ada)).toBeDefined();
    expect(await outcome(ask(ada, operation(), "USD"))).toBe("OK");
  });

  it("tells its guard that a request that needed one person was refused", async () => {
    const { ada } = service();
    world.run = () => orThrow(refused("INVALID_REQUEST", "no"));
    expect(await outcome(ask(ada, operation(), "USD"))).toBe("no");
    expect(world.refusals).toBe(1);
  });

  it("is not proposed if the RPC would refuse it anyway", async () => {
    const { ada, bob } = service();
    world.check = () => orThrow(refused("INVALID_REQUEST", "no rail"));
    const mutation = operation();
    expect(await outcome(ask(ada, mutation))).toBe("no rail");
    expect((await ada.approval.listProposals({})).proposals).toEqual([]);
    world.check = () => undefined;
    const wanted = await proposed(ada, mutation);
    await approve(bob, wanted);
    // The RPC answers a repeat, even if a new request would be refused now.
    world.check = () => orThrow(refused("INVALID_REQUEST", "no rail"));
    expect(await outcome(ask(ada, mutation))).toBe("OK");
  });

  it("needs the content that was read: other content, a changed subject and a late decision are refused", async () => {
    const { ada, bob } = service();
    const wanted = await proposed(ada);
    expect(await outcome(ask(ada, wanted.mutation, "INR"))).toBe(
      "operation_id: was used with other content",
    );
    const other = { ...wanted, contentDigest: "other" };
    expect(await outcome(approve(bob, other))).toContain("content_digest");
    world.before = "changed meanwhile";
    expect(await outcome(approve(bob, wanted))).toContain("has changed since the proposal");
    world.before = "";
    expect(await outcome(approve(bob, wanted))).toContain("is superseded");
    const late = await proposed(ada);
    world.offsetMs = 86_400_001;
    expect(await outcome(approve(bob, late))).toContain("is expired");
    expect(await outcome(ask(ada, late.mutation))).toContain("is expired");
    expect(world.ran).toEqual([]);
  });

  it("is refused once it is rejected or withdrawn", async () => {
    const { ada, bob } = service();
    const [rejected, withdrawn] = [await proposed(ada), await proposed(ada)];
    const reason = "not our merchant";
    const rejecting = { mutation: operation(), proposalId: rejected.proposalId, reason };
    await bob.approval.rejectProposal(rejecting);
    const { proposalId } = withdrawn;
    const notHis = bob.approval.withdrawProposal({ mutation: operation(), proposalId });
    expect(await outcome(notHis)).toContain("belongs to another person");
    await ada.approval.withdrawProposal({ mutation: operation(), proposalId });
    for (const each of [rejected, withdrawn]) {
      expect(await outcome(approve(bob, each))).toMatch(/is (rejected|withdrawn)$/);
    }
    expect(await outcome(ask(ada, rejected.mutation))).toContain(`is rejected: ${reason}`);
    expect(world.ran).toEqual([]);
  });

  it("fails if the RPC refuses, with the refusal's message", async () => {
    const { ada, bob } = service();
    const wanted = await proposed(ada);
    world.run = () => orThrow(refused("RECORD_NOT_FOUND", "no such account"));
    const { proposal } = await approve(bob, wanted);
    expect(proposal).toMatchObject({ state: ProposalState.FAILED, outcome: "no such account" });
    expect(await outcome(ask(ada, wanted.mutation))).toContain("is failed: no such account");
  });
});

it("a request that finds its subject changed when it runs is superseded", async () => {
  const { ada, bob } = service();
  const wanted = await proposed(ada);
  world.run = () => orThrow(supersededRefusal);
  const by = operation();
  for (const _try of [1, 2]) {
    expect(await outcome(approve(bob, wanted, by))).toContain("has changed since the proposal");
  }
  expect((await service().proposals.read(wanted.proposalId))?.state).toBe("superseded");
  expect(await outcome(ask(ada, wanted.mutation))).toContain("is superseded");
});

describe("a request that its guard allows once about a subject", () => {
  const cancel = (caller: Caller, payoutId: string, mutation = operation()) =>
    caller.payout.cancelPayout({ mutation, merchantId: "mer_1", payoutId });

  it("is refused while another proposal about it is open, also where one person is enough", async () => {
    const { ada, bob, eve } = service();
    const mutation = operation();
    expect(await outcome(cancel(ada, "po_1", mutation))).toMatch(/must approve/);
    expect(await outcome(cancel(bob, "po_1"))).toMatch(/^proposal prp_\w+ is open/);
    expect(await outcome(cancel(ada, "po_2"))).toMatch(/must approve/);
    world.isCancelAlone = true;
    expect(await outcome(cancel(eve, "po_1"))).toMatch(/^proposal prp_\w+ is open/);
    // A repeat doesn't conflict with its own proposal.
    expect(await outcome(cancel(ada, "po_1", mutation))).toMatch(/must approve/);
    expect(world.ran).toEqual([]);
  });

  it("does not conflict with the same request sent twice at once", async () => {
    const { ada } = service();
    const mutation = operation();
    const stored = database.db.collection("proposals");
    type Find = (...given: unknown[]) => Promise<null>;
    const find = stored.findOneAndUpdate.bind(stored) as unknown as Find;
    let first: unknown;
    const claim = vi.spyOn(stored, "findOneAndUpdate");
    claim.mockImplementationOnce(async (...given: unknown[]) => {
      const found = await find(...given);
      first = await outcome(cancel(ada, "po_1", mutation));
      return found;
    });
    const second = await outcome(cancel(ada, "po_1", mutation));
    claim.mockRestore();
    expect(first).toMatch(/must approve/);
    expect(second).toBe(first);
  });

  it("runs once the proposal is superseded, which ends it", async () => {
    const { ada, bob } = service();
    await outcome(cancel(ada, "po_1"));
    const [first] = (await bob.approval.listProposals({ subject: "po_1" })).proposals;
    world.before = "changed meanwhile";
    expect(await outcome(cancel(bob, "po_1"))).toMatch(/must approve/);
    expect((await service().proposals.read(first?.id ?? ""))?.state).toBe("superseded");
  });

  it("is refused until an approved proposal about it has run", async () => {
    const { ada, bob, eve, sweep } = service();
    await outcome(cancel(ada, "po_1"));
    const [first] = (await bob.approval.listProposals({ subject: "po_1" })).proposals;
    const approved = { proposalId: first?.id ?? "", contentDigest: first?.contentDigest ?? "" };
    world.run = () => Promise.reject(new ConnectError("the engine is away", Code.Unavailable));
    await outcome(bob.approval.approveProposal({ mutation: operation(), ...approved }));
    world.run = () => undefined;
    // The proposal itself may have done it: the sweep finds out.
    world.before = "changed meanwhile";
    world.isCancelAlone = true;
    const alone = operation();
    expect(await outcome(cancel(eve, "po_1", alone))).toMatch(/^proposal prp_\w+ is approved/);
    expect(world.ran).toEqual([]);
    await sweep();
    expect((await service().proposals.read(approved.proposalId))?.state).toBe("executed");
    expect(await outcome(cancel(eve, "po_1", alone))).toBe("OK");
  });

  it("answers a repeat of a request that needed one person, whatever is open now", async () => {
    const { ada, bob } = service();
    world.isCancelAlone = true;
    const mutation = operation();
    expect(await outcome(cancel(bob, "po_1", mutation))).toBe("OK");
    world.isCancelAlone = false;
    await outcome(cancel(ada, "po_1"));
    expect(await outcome(cancel(bob, "po_1", mutation))).toBe("OK");
  });
});

describe("the list", () => {
  const ids = async ({ approval }: Caller, wanted: object) =>
    (await approval.listProposals(wanted)).proposals.map(({ id }) => id);

  it("of proposals that wait for the caller has those of others that the caller may decide", async () => {
    const { ada, bob, eve, Ada } = service();
    const { proposalId: first } = await proposed(ada);
    const { proposalId: second } = await proposed(bob);
    const waiting = { waitingForCaller: true };
    expect(await ids(bob, waiting)).toEqual([first]);
    expect(await ids(ada, waiting)).toEqual([second]);
    expect(await ids(Ada, waiting)).toEqual([second]);
    expect(await ids(eve, waiting)).toEqual([]);
    expect(new Set(await ids(ada, {}))).toEqual(new Set([first, second]));
    world.offsetMs = 86_400_001;
    expect(await ids(bob, waiting)).toEqual([]);
    expect(await ids(bob, {})).toHaveLength(2);
  });

  it("of a subject has the proposals about it", async () => {
    const { ada, bob } = service();
    await outcome(ada.payout.cancelPayout({ mutation: operation(), payoutId: "po_1" }));
    await proposed(ada);
    const { proposals: about } = await bob.approval.listProposals({ subject: "po_1" });
    expect(about.map(({ subject, after }) => [subject, after])).toEqual([["po_1", "po_1"]]);
  });
});

describe("a permit", () => {
  const wanted = {
    ...{ rpc: "disburse.compliance.v1.ComplianceService/ImportList", merchantId: "" },
    ...{ subject: "internal", content: "file 1", before: "", after: "{}", reasons: ["loses much"] },
    approvers: ["compliance_approver"] as const,
  };
  const ada: Principal = { kind: "person", id: "ada", roles: new Set(["compliance_officer"]) };
  const permit = (operationId: string, change: { content?: string } = {}, principal = ada) => {
    const request = { ...wanted, operationId, ...change };
    return withCallContext({ requestId: "r", principal }, () => service().permit(request));
  };

  it("lets its proposer through with the same content, once it is approved", async () => {
    const { bob, eve, sweep } = service();
    expect(await outcome(permit("import-1"))).toContain("another person must approve");
    const [found] = (await eve.approval.listProposals({})).proposals;
    expect(found).toMatchObject({ state: ProposalState.OPEN, after: "{}" });
    const proposalId = found?.id ?? "";
    const contentDigest = found?.contentDigest ?? "";
    const decide = { mutation: operation(), proposalId, contentDigest };
    expect(await outcome(bob.approval.approveProposal(decide))).toContain("Unable to find");
    await eve.approval.approveProposal(decide);
    await sweep();
    expect(await outcome(permit("import-1", { content: "file 2" }))).toContain(
      "was used with other content",
    );
    const zoe: Principal = { ...ada, id: "zoe" };
    expect(await outcome(permit("import-1", {}, zoe))).toContain(
      "belongs to a proposal of another person",
    );
    const used = await permit("import-1");
    await used();
    expect((await service().proposals.read(proposalId))?.state).toBe("executed");
  });
});
