import { Code, ConnectError } from "@connectrpc/connect";
import { ProposalState } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Database } from "../mongo/database.ts";
import { readRefusal } from "../rpc/refusal.ts";
import {
  approvalService,
  approvalsDatabase,
  approve,
  newWorld,
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

describe("an approved request that is running", () => {
  /** Runs until it is opened. Like an import, the RPC refuses a second run until the first ends. */
  function gatedRun() {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let [runs, isRunning] = [0, false];
    world.run = async () => {
      runs += 1;
      if (isRunning) throw new ConnectError("this request is still running", Code.Aborted);
      isRunning = true;
      await opened;
      isRunning = false;
    };
    const begun = () => vi.waitFor(() => expect(runs).toBeGreaterThan(0), { timeout: 30_000 });
    return { begun, open, runs: () => runs };
  }
  const executed = { proposal: { state: ProposalState.EXECUTED } };

  it("is not run by a sweep too", async () => {
    const { ada, bob } = service();
    const gated = gatedRun();
    const approving = approve(bob, await proposed(ada));
    await gated.begun();
    await service().sweep();
    gated.open();
    expect(await approving).toMatchObject(executed);
    expect(gated.runs()).toBe(1);
  });

  /** Approves a request that a sweep then runs, until it is opened. */
  async function sweptRun() {
    const { ada, bob } = service();
    const { proposalId, contentDigest } = await proposed(ada);
    const request = { mutation: operation(), proposalId, contentDigest };
    const approveIt = () => bob.approval.approveProposal(request);
    world.run = () => Promise.reject(new ConnectError("the engine is away", Code.Unavailable));
    expect(await outcome(approveIt())).toBe("Unavailable");
    const gated = gatedRun();
    const sweeping = service().sweep();
    await gated.begun();
    const end = () => {
      gated.open();
      return sweeping;
    };
    const tries = vi.spyOn(database.db.collection("proposals"), "findOneAndUpdate");
    onTestFinished(() => tries.mockRestore());
    const tried = (times: number) =>
      vi.waitFor(() => expect(tries.mock.calls.length).toBeGreaterThanOrEqual(times), 30_000);
    return { approveIt, end, runs: gated.runs, tried, tries };
  }

  it("is awaited by all calls of the approver, if the sweep runs it", async () => {
    const { approveIt, end, runs, tried } = await sweptRun();
    const calls = Promise.all(Array.from({ length: 10 }, () => approveIt()));
    await Promise.race([calls, tried(10)]);
    await end();
    for (const answer of await calls) expect(answer).toMatchObject(executed);
    expect(runs()).toBe(1);
  });

  it("is awaited until half a second before the deadline, and a repeat gets the outcome", async () => {
    const { approveIt, end, runs, tries } = await sweptRun();
    for (const [leftMs, least, most] of [
      [1_500, 2, 20],
      [450, 1, 1],
    ] as const) {
      tries.mockClear();
      world.deadlineMs = Date.now() + leftMs;
      const late = await approveIt().catch(ConnectError.from);
      expect(late).toMatchObject({ code: Code.Aborted });
      expect(readRefusal(late)?.code).toBe("IDEMPOTENCY_IN_PROGRESS");
      expect(tries.mock.calls.length).toBeGreaterThanOrEqual(least);
      expect(tries.mock.calls.length).toBeLessThanOrEqual(most);
    }
    world.deadlineMs = undefined;
    await end();
    expect(await approveIt()).toMatchObject(executed);
    expect(runs()).toBe(1);
  });

  it("runs again once its lease has ended, and the first outcome counts", async () => {
    const { ada, bob } = service();
    const wanted = await proposed(ada);
    const gated = gatedRun();
    const approving = approve(bob, wanted);
    await gated.begun();
    const leases = database.db.collection("proposals");
    const leftMs = async () => {
      const leftOf = { $subtract: ["$leased_until", "$$NOW"] };
      const [lease] = await leases.aggregate([{ $set: { left: leftOf } }]).toArray();
      return Number(lease?.left);
    };
    expect(await leftMs()).toBeGreaterThan(20_000);
    expect(await leftMs()).toBeLessThanOrEqual(30_000);
    // The database's clock decides, whatever the one of this process shows.
    world.offsetMs = 3_600_000;
    await service().sweep();
    expect(gated.runs()).toBe(1);
    world.offsetMs = -3_600_000;
    await leases.updateOne({}, { $set: { leased_until: new Date(0) } });
    await service().sweep();
    expect(gated.runs()).toBe(2);
    gated.open();
    expect(await approving).toMatchObject(executed);
    await service().sweep();
    expect(world.ran).toEqual([{ by: "ada", approvedBy: "bob" }]);
  });
});

describe("after a crash", () => {
  it("an approved request runs by the sweep of another process, and by a repeat", async () => {
    for (const finish of ["sweep", "repeat"] as const) {
      const first = service();
      const wanted = await proposed(first.ada);
      world.run = () => Promise.reject(new ConnectError("the engine is away", Code.Unavailable));
      const by = operation();
      expect(await outcome(approve(first.bob, wanted, by))).toBe("Unavailable");
      world.run = () => undefined;
      const next = service();
      if (finish === "sweep") await next.sweep();
      else await approve(next.bob, wanted, by);
      const { proposal } = await next.ada.approval.getProposal(wanted);
      expect(proposal?.state).toBe(ProposalState.EXECUTED);
      expect(world.ran).toEqual([{ by: "ada", approvedBy: "bob" }]);
      await next.sweep();
      expect(world.ran.length).toBe(1);
      world.ran = [];
    }
  });

  it("the sweep ends proposals without a decision, and no others", async () => {
    const { ada, sweep } = service();
    const { proposalId } = await proposed(ada);
    const stored = async () => (await service().proposals.read(proposalId))?.state;
    await sweep();
    expect(await stored()).toBe("open");
    world.offsetMs = 86_400_001;
    await sweep();
    expect(await stored()).toBe("expired");
  });
});
