import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createApprovals } from "@disburse/chassis/approvals/approvals.ts";
import { approvalRpc } from "@disburse/chassis/approvals/rpc.ts";
import { openProposals, type ProposalStore } from "@disburse/chassis/approvals/store.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ApprovalRequired,
  ApprovalService,
  ProposalState,
} from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { Collection } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Payouts } from "../payouts/document.ts";
import { decide, readResolvable } from "../payouts/exceptions.ts";
import { findPayout } from "../payouts/store.ts";
import { annotate } from "../payouts/work.ts";
import { reportOutcome } from "../rails/reports.ts";
import { workOnDuePayout } from "../rails/worker.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { personally, resolvers } from "../test-resolutions.ts";
import type { ResolutionDeps } from "./resolve.ts";
import { guardedResolutions } from "./rpc.ts";

const { findOne } = Collection.prototype;
const merchantId = "mer_1";
let platform: TestPlatform;
let deps: ResolutionDeps;
let accountId = "";
let railStatus: RailReply["status"];

beforeAll(async () => {
  platform = await startTestPlatform();
  deps = platform.parts;
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  railStatus = { kind: "unknown" };
  const status = async (): Promise<RailReply> => ({ status: railStatus });
  platform.rails.current = testRail({ submit: status, query: status });
  accountId = await platform.fundedAccount(merchantId, "10000.00");
});

async function unknownPayout(): Promise<string> {
  const id = await platform.execute(accountId, "order");
  await platform.work();
  return id;
}

/** The parts that a process doesn't share with the others. */
type Own = Partial<Pick<ResolutionDeps, "payouts" | "audit" | "wake">> & {
  readonly store?: ProposalStore;
};

/** Starts a process of its own for operators to call. */
function processWith({ store = openProposals(platform.database), ...own }: Own = {}) {
  const { clock } = platform.parts;
  const approvals = createApprovals({
    proposals: store,
    isDone: openAuditStore(platform.database).hasDone,
    clock,
    log: silentLog,
    openMax: 1_000,
  });
  const rpc = guardedResolutions({ ...deps, ...own, proposals: approvals });
  const transport = createRouterTransport(({ service }) => {
    service(PayoutOperatorService, rpc);
    service(ApprovalService, approvalRpc({ approvals, proposals: store, clock }));
  }, namedCallers);
  const clients = {
    operatorRpc: createClient(PayoutOperatorService, transport),
    proposalsRpc: createClient(ApprovalService, transport),
  };
  return { ...clients, ...resolvers(clients), sweep: approvals.sweep };
}

const stateOf = async ({ proposalId }: ApprovalRequired) =>
  (await openProposals(platform.database).read(proposalId))?.state;

const unfinished = async () =>
  platform.database.db.collection("proposals").countDocuments({ state: "approved" });

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => "",
    (error: unknown) => readRefusal(error)?.message ?? String(error),
  );

/** A payout's stage, its number of resolutions and its movements of money. */
async function endOf(payoutId: string) {
  const found = await platform.history(payoutId);
  const { entries } = await platform.rpc.listEntries({ merchantId, accountId, payoutId });
  return {
    stage: found?.payout.progress.stage,
    resolved: found?.lines.filter(({ detail }) => detail.startsWith("resolved")).length,
    moved: entries.map(({ id }) => id.split(":").at(-1)).toReversed(),
  };
}

const actionsOn = async (subject: string) =>
  (await deps.audit.decisionsOf(subject, undefined, 100)).map(({ action }) => action).toReversed();

it("a resolution that takes effect wakes a worker, once", async () => {
  const wake = vi.fn();
  const { resolve, sweep } = processWith({ wake });
  await resolve(await unknownPayout());
  await sweep();
  expect(wake).toHaveBeenCalledTimes(1);
});

it("an approval that stalls while a repeat of it takes effect gets the same answer", async () => {
  const proposed = await processWith().propose(await unknownPayout());
  const bob = personally("bob");
  const stalling: Payouts = Object.assign(Object.create(deps.payouts), {
    findOne: async (...given: Parameters<typeof findOne>) => {
      await processWith().approve(proposed, bob);
      await platform.work();
      return findOne.apply(deps.payouts, given);
    },
  });
  const proposal = await processWith({ payouts: stalling }).approve(proposed, bob);
  expect(proposal).toMatchObject({ id: proposed.proposalId, state: ProposalState.EXECUTED });
});

describe("at the same moment", () => {
  it("several persons approve: one does", async () => {
    const payoutId = await unknownPayout();
    const { propose, approve } = processWith();
    const proposed = await propose(payoutId);
    const answers = await Promise.all(
      ["bob", "cleo", "dan"].map((person) => refusalOf(approve(proposed, personally(person)))),
    );
    const refusals = answers.filter((each) => each !== "");
    expect(refusals).toHaveLength(2);
    for (const each of refusals) {
      expect(each).toMatch(/^proposal_id: the proposal is (approved|executed)$/);
    }
    await platform.work();
    const moved = ["hold", "release"];
    expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
    expect(await actionsOn(payoutId)).toEqual(["payout.resolved"]);
  });

  it("an approval sent several times to two processes counts once", async () => {
    const payoutId = await unknownPayout();
    const processes = [processWith(), processWith()];
    const [one] = processes as [ReturnType<typeof processWith>];
    const proposed = await one.propose(payoutId);
    const bob = personally("bob");
    const tries = [...processes, ...processes].map(({ approve }) => approve(proposed, bob));
    for (const proposal of await Promise.all(tries)) {
      expect(proposal).toMatchObject({ id: proposed.proposalId });
    }
    expect(await stateOf(proposed)).toBe("executed");
    expect(await actionsOn(payoutId)).toEqual(["payout.resolved"]);
    expect(await endOf(payoutId)).toMatchObject({ resolved: 1 });
  });

  it("several propose: one of their resolutions takes effect", async () => {
    const payoutId = await unknownPayout();
    const { propose, approve } = processWith();
    const tries = ["ada", "cleo", "dan"].map((person) =>
      propose(payoutId, {}, personally(person)).catch(() => undefined),
    );
    const proposed = (await Promise.all(tries)).filter((each) => each !== undefined);
    expect(proposed.length).toBeGreaterThan(0);
    const answers = await Promise.all(proposed.map((each) => refusalOf(approve(each))));
    expect(answers.filter((each) => each === "")).toHaveLength(1);
    await platform.work();
    const moved = ["hold", "release"];
    expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
    expect(await unfinished()).toBe(0);
  });

  it("one operation is for two payouts: it counts for one", async () => {
    const payoutIds = [await unknownPayout(), await unknownPayout()];
    const once = personally("ada");
    const { propose } = resolvers(platform);
    const made = await Promise.allSettled(payoutIds.map((each) => propose(each, {}, once)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const proposals = platform.database.db.collection("proposals");
    expect(await proposals.countDocuments({ operation_id: once.operationId })).toBe(1);
  });

  it("a contradiction is reported and a decision written: the write with the older revision fails", async () => {
    const payoutId = await unknownPayout();
    const read = await findPayout(platform.payouts, payoutId);
    if (read === undefined) throw new Error("no payout");
    const exception = { kind: "contradicted", since: new Date() } as const;
    expect(await annotate(platform.payouts, read, { exception })).toBe(true);
    const step = { at: new Date(), detail: "resolved" };
    for (const kind of ["stands", "superseded"] as const) {
      expect(await decide(platform.payouts, read, "rsl_late", { kind, step })).toBe(false);
    }
    const found = await readResolvable(platform.payouts, payoutId, "rsl_late", new Date());
    expect(found).toMatchObject({
      decided: undefined,
      payout: { exception: { kind: "contradicted" } },
    });
  });

  it("one approves and one withdraws: either, and not both", async () => {
    const { propose, approve, proposalsRpc } = processWith();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const payoutId = await unknownPayout();
      const proposed = await propose(payoutId);
      const { proposalId } = proposed;
      const [approved, withdrawn] = await Promise.all([
        refusalOf(approve(proposed)),
        refusalOf(proposalsRpc.withdrawProposal({ mutation: personally("ada"), proposalId })),
      ]);
      expect(approved === "").not.toBe(withdrawn === "");
      await platform.work();
      expect((await endOf(payoutId)).stage).toBe(approved === "" ? "rejected" : "unknown");
    }
  });

  it("operators and the rail decide: one of them wins, in 50 tries, and money moves once", async () => {
    const payoutIds = await Promise.all(
      Array.from({ length: 50 }, () => platform.execute(accountId, "order")),
    );
    await platform.work();
    for (const [attempt, payoutId] of payoutIds.entries()) {
      const proposed = await processWith().propose(payoutId);
      const word = { status: { kind: "settled", reference: "R-1" } } as const;
      const rail = { actor: { kind: "service", id: "rail" }, operationId: `r-${attempt}` } as const;
      const report = () => reportOutcome({ ...platform.parts, ...deps }, payoutId, word, rail);
      let reported: Promise<unknown> | undefined;
      // The rail reports before the read for the effect, at the same time, or after the decision.
      // The first and the last case have one end each.
      const meets = (["before", "meanwhile", "meanwhile", "afterwards"] as const)[attempt % 4];
      let reads = 0;
      const payouts: Payouts = Object.assign(Object.create(deps.payouts), {
        findOne: async (...given: Parameters<typeof findOne>) => {
          if (++reads === 2 && meets !== "afterwards") reported = report();
          if (meets === "before") await reported;
          return findOne.apply(deps.payouts, given);
        },
      });
      await refusalOf(processWith({ payouts }).approve(proposed));
      await (reported ?? report());
      await platform.work();
      const end = await endOf(payoutId);
      const byOperators = end.stage === "rejected";
      if (meets === "before") expect(byOperators).toBe(false);
      if (meets === "afterwards") expect(byOperators).toBe(true);
      expect(end).toEqual(
        byOperators
          ? { stage: "rejected", resolved: 1, moved: ["hold", "release"] }
          : { stage: "settled", resolved: 0, moved: ["hold", "post"] },
      );
      expect(await stateOf(proposed)).toBe(byOperators ? "executed" : "superseded");
      const payout = await findPayout(platform.payouts, payoutId);
      expect(payout?.exception?.kind).toBe(byOperators ? "contradicted" : undefined);
    }
  });

  it("a worker has the payout: its late response changes nothing", async () => {
    const payoutId = await unknownPayout();
    const { propose, approve } = processWith();
    const proposed = await propose(payoutId);
    const query = async (): Promise<RailReply> => {
      await approve(proposed);
      return { status: { kind: "settled", reference: "R-1" } };
    };
    platform.rails.current = testRail({ query });
    platform.world.offsetMs += 70_000;
    while (await workOnDuePayout(platform.parts));
    const moved = ["hold", "release"];
    expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
  });
});

const proposalWrites = ["insert", "change", "lease", "conclude", "release"] as const;

/** Parts of a process that dies before or after a write. */
function dying(survived: number, isDone: boolean): Own {
  let left = survived;
  const mortal = <T extends object>(store: T, ...writes: (keyof T)[]): T => {
    const own = Object.fromEntries(
      writes.map((name) => {
        const write = store[name] as (...given: unknown[]) => Promise<unknown>;
        const last = async (...given: unknown[]) => {
          const isLast = left-- === 0;
          if (left < -1 || (isLast && !isDone)) throw new Error("killed");
          const status = await write.apply(store, given);
          if (isLast) throw new Error("killed");
          return status;
        };
        return [name, last];
      }),
    );
    return Object.assign(Object.create(store), own);
  };
  return {
    store: mortal(openProposals(platform.database), ...proposalWrites),
    audit: mortal(deps.audit, "append"),
    payouts: mortal(deps.payouts, "updateOne"),
  };
}

const deaths = (writes: number) =>
  Array.from({ length: writes }, (_each, at) => [[at, false] as const, [at, true] as const]).flat();

describe("a process that dies", () => {
  it.each(deaths(5))(
    "at write %i of an approval (done: %s): a sweep or a repeat goes on",
    async (at, done) => {
      const { propose, approve, sweep } = processWith();
      for (const goOn of ["sweep", "repeat"]) {
        const payoutId = await unknownPayout();
        const proposed = await propose(payoutId);
        const bob = personally("bob");
        await expect(processWith(dying(at, done)).approve(proposed, bob)).rejects.toThrow();
        if ((await endOf(payoutId)).resolved === 1) {
          expect(await actionsOn(payoutId)).toEqual(["payout.resolved"]);
        }
        // The lease of the dead process ends.
        const leased = { leased_until: { $exists: true } };
        const proposals = platform.database.db.collection("proposals");
        await proposals.updateMany(leased, { $set: { leased_until: new Date(0) } });
        if (goOn === "sweep") {
          await sweep();
          await platform.work();
          const isApproved = at > 0 || done;
          expect(await stateOf(proposed)).toBe(isApproved ? "executed" : "open");
        }
        expect(await approve(proposed, bob)).toMatchObject({ state: ProposalState.EXECUTED });
        await platform.work();
        const moved = ["hold", "release"];
        expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
        expect(await actionsOn(payoutId)).toEqual(["payout.resolved"]);
        expect(await unfinished()).toBe(0);
      }
    },
  );

  it.each(deaths(1))(
    "at write %i of a proposal (done: %s): its repeat is the same one",
    async (at, done) => {
      const payoutId = await unknownPayout();
      const ada = personally("ada");
      const dead = processWith(dying(at, done)).propose(payoutId, {}, ada);
      await expect(dead).rejects.toThrow();
      const { proposalId } = await processWith().propose(payoutId, {}, ada);
      const { proposalsRpc } = processWith();
      await proposalsRpc.withdrawProposal({ mutation: personally("ada"), proposalId });
      expect(await actionsOn(payoutId)).toEqual([]);
    },
  );

  it("after the payout changed: the approved resolution is and stays superseded", async () => {
    const payoutId = await unknownPayout();
    const { propose, sweep } = processWith();
    const [ada, bob] = [personally("ada"), personally("bob")];
    const proposed = await propose(payoutId, {}, ada);
    await expect(processWith(dying(0, true)).approve(proposed, bob)).rejects.toThrow();
    railStatus = { kind: "accepted" };
    await platform.after(70_000);
    await sweep();
    expect(await stateOf(proposed)).toBe("superseded");
    railStatus = { kind: "unknown" };
    await platform.after(70_000);
    // A process that read the proposal at its approval finds the decision.
    const found = await readResolvable(deps.payouts, payoutId, ada.operationId, new Date());
    expect(found).toMatchObject({
      decided: "superseded",
      payout: { exception: { kind: "unknown" } },
    });
  });
});

it("an approved resolution that a contradiction overtakes is superseded, though its outcome is possible", async () => {
  const payoutId = await unknownPayout();
  const { propose, sweep } = processWith();
  const proposed = await propose(payoutId);
  await expect(processWith(dying(0, true)).approve(proposed)).rejects.toThrow();
  const read = await findPayout(platform.payouts, payoutId);
  if (read === undefined) throw new Error("no payout");
  const exception = { kind: "contradicted", since: new Date() } as const;
  await annotate(platform.payouts, read, { exception });
  await sweep();
  expect(await stateOf(proposed)).toBe("superseded");
  expect(await endOf(payoutId)).toEqual({ stage: "unknown", resolved: 0, moved: ["hold"] });
  expect(await actionsOn(payoutId)).toEqual([]);
});

describe("the audit trail", () => {
  it("is gapless and whole, whoever writes at once", async () => {
    const step = (at: number) => ({
      ...({ action: "rail.paused", subject: `rail-${at % 3}`, detail: "holiday" } as const),
      ...{ person: "ada", operation: `op-${at}`, at: new Date() },
    });
    const made = await Promise.all(
      Array.from({ length: 16 }, (_each, at) => deps.audit.append(step(at))),
    );
    expect(new Set(made.map(({ sequence }) => sequence)).size).toBe(16);
    const again = await deps.audit.append(step(7));
    expect(again).toEqual(made[7]);
    const { entries } = await platform.operatorRpc.listAuditEntries({ limit: 100 });
    const sequences = entries.map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(sequences.map((_each, at) => (sequences[0] ?? 0) - at));
    expect(entries.at(-1)?.previousHash === "").toBe(sequences.at(-1) === 1);
    const paged: typeof entries = [];
    for (let cursor = "", more = true; more; more = cursor !== "") {
      const page = await platform.operatorRpc.listAuditEntries({ limit: 7, cursor });
      paged.push(...page.entries);
      cursor = page.nextCursor;
    }
    expect(paged.slice(0, entries.length)).toEqual(entries);
  });

  it("shows that an entry was changed or removed", async () => {
    const trail = platform.database.db.collection<{ _id: number; detail: string }>("audit_entries");
    const list = (subject = "") => platform.operatorRpc.listAuditEntries({ limit: 100, subject });
    for (const operation of ["a", "b", "c"]) {
      const record = {
        action: "rail.paused",
        subject: "tampered",
        detail: "",
        person: "ada",
      } as const;
      await deps.audit.append({ ...record, operation, at: new Date() });
    }
    const whole = await list();
    const middle = Number(whole.entries[1]?.sequence);
    const entry = await trail.findOne({ _id: middle });
    if (entry === null) throw new Error("no entry");
    await trail.updateOne({ _id: middle }, { $set: { detail: "nothing happened" } });
    await expect(list("tampered")).rejects.toThrow("internal error");
    await trail.deleteOne({ _id: middle });
    await expect(list()).rejects.toThrow("internal error");
    await trail.insertOne(entry);
    expect(await list()).toEqual(whole);
    const oldest = { _id: { $lt: middle } };
    const removed = await trail.find(oldest).toArray();
    await trail.deleteMany(oldest);
    await expect(list()).rejects.toThrow("internal error");
    await trail.insertMany(removed);
    expect(await list()).toEqual(whole);
  });
});

describe("a pause of a rail", () => {
  const decide = (action: "rail.paused" | "rail.resumed", operation: string) => {
    const record = { action, subject: "sandbox", detail: "holiday", person: "ada" };
    return deps.audit.append({ ...record, operation, at: new Date() });
  };

  it("counts by its place in the trail, whenever it arrives", async () => {
    const { states } = platform.parts;
    const paused = await decide("rail.paused", "pause-1");
    const resumed = await decide("rail.resumed", "resume-1");
    await states.follow(resumed);
    await states.follow(paused);
    expect(await states.read("sandbox")).toEqual({ paused: false, reason: "" });
    const again = await decide("rail.paused", "pause-2");
    await Promise.all([states.follow(again), states.follow(resumed), states.follow(paused)]);
    expect(await states.read("sandbox")).toEqual({ paused: true, reason: "holiday" });
    expect(await deps.audit.lastOf("sandbox")).toEqual(again);
    const { db } = platform.database;
    expect(await db.collection("rail_states").findOne({ audit_sequence: again.sequence })).toEqual({
      ...{ _id: "sandbox", schema_version: 1, paused: true, reason: "holiday" },
      ...{ audit_sequence: again.sequence, updated_at: again.at },
    });
  });
});

describe("a rejection that two persons decided", () => {
  it("gives nothing back while a worker is sending the payout", async () => {
    const payoutId = await unknownPayout();
    const read = await findPayout(platform.payouts, payoutId);
    if (read === undefined) throw new Error("no payout");
    await annotate(platform.payouts, read, {
      exception: { kind: "contradicted", since: new Date() },
    });
    const sending = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<RailReply>();
    const submit = async (key: string): Promise<RailReply> => {
      // Leftovers of other tests are due by then too.
      if (key !== payoutId) return { status: { kind: "unknown" } };
      sending.resolve();
      return sent.promise;
    };
    platform.rails.current = testRail({
      ...{ submit, query: async () => ({ status: { kind: "not_received" } }) },
    });
    platform.world.offsetMs += 120_000;
    const working = platform.work();
    await sending.promise;
    const { propose, approve, sweep } = processWith();
    const proposed = await propose(payoutId);
    expect(await refusalOf(approve(proposed))).toMatch(/^The payout is being sent/);
    await sweep();
    expect(await stateOf(proposed)).toBe("approved");
    expect((await endOf(payoutId)).moved).toEqual(["hold"]);
    sent.resolve({ status: { kind: "settled", reference: "R-1" } });
    await working;
    await sweep();
    expect(await endOf(payoutId)).toMatchObject({ stage: "settled", moved: ["hold", "post"] });
    expect(await stateOf(proposed)).toBe("superseded");
  });
});
