import { isRefused } from "@disburse/kernel/refusal.ts";
import { Collection } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Payouts } from "../payouts/document.ts";
import { decide, readResolvable } from "../payouts/exceptions.ts";
import type { Outcome } from "../payouts/rules/progress.ts";
import { findPayout } from "../payouts/store.ts";
import { annotate } from "../payouts/work.ts";
import type { RailReply } from "../rails/rail.ts";
import { reportOutcome } from "../rails/reports.ts";
import { workOnDuePayout } from "../rails/worker.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import {
  confirmResolution,
  proposeResolution,
  type ResolutionDeps,
  sweepResolutions,
  withdrawResolution,
} from "./resolve.ts";
import type { Resolution } from "./rules/resolution.ts";

const { findOne } = Collection.prototype;
const merchantId = "mer_1";
const reason = "the bank's statement of the day";
const rejected: Outcome = { kind: "rejected" };
let platform: TestPlatform;
let deps: ResolutionDeps;
let accountId = "";
let said: RailReply["status"];

beforeAll(async () => {
  platform = await startTestPlatform();
  deps = platform.parts;
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  said = { kind: "unknown" };
  const status = async (): Promise<RailReply> => ({ status: said });
  platform.rails.current = testRail({ submit: status, query: status });
  accountId = await platform.fundedAccount(merchantId, "10000.00");
});

let operations = 0;
const by = (person: string, operation = `race-${++operations}`) => ({ person, operation });

async function unknownPayout(): Promise<string> {
  const id = await platform.execute(accountId, "order");
  await platform.work();
  return id;
}

async function propose(payoutId: string, outcome: Outcome = rejected): Promise<Resolution> {
  const proposed = await proposeResolution(deps, { payoutId, outcome, reason }, by("ada"));
  if (isRefused(proposed)) throw new Error(proposed.detail);
  return proposed;
}

const stateOf = async (id: string) => (await deps.resolutions.read(id))?.state.kind;

/** What became of a payout: its stage, how often it was resolved, the movements of its money. */
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
  (await deps.audit.list(subject, undefined, 100)).map(({ action }) => action).toReversed();

it("a resolution that takes effect wakes a worker, once", async () => {
  const { id } = await propose(await unknownPayout());
  const wake = vi.fn();
  await confirmResolution({ ...deps, wake }, id, by("bob"));
  await sweepResolutions({ ...platform.parts, wake });
  expect(wake).toHaveBeenCalledTimes(1);
});

it("a confirmation that stalls while a repeat of it takes effect gets the same answer", async () => {
  const payoutId = await unknownPayout();
  const proposed = await propose(payoutId);
  const bob = by("bob");
  const stalling: Payouts = Object.assign(Object.create(deps.payouts), {
    findOne: async (...given: Parameters<typeof findOne>) => {
      await confirmResolution(deps, proposed.id, bob);
      await platform.work();
      return findOne.apply(deps.payouts, given);
    },
  });
  const status = await confirmResolution({ ...deps, payouts: stalling }, proposed.id, bob);
  expect(status).toMatchObject({ id: proposed.id, state: { kind: "applied" } });
});

describe("at the same moment", () => {
  it("two persons confirm: one does", async () => {
    const payoutId = await unknownPayout();
    const { id } = await propose(payoutId);
    const persons = ["bob", "cleo", "dan"].map((person) => by(person));
    const answers = await Promise.all(persons.map((each) => confirmResolution(deps, id, each)));
    const refusals = answers.filter(isRefused);
    expect(refusals.map(({ detail }) => detail)).toEqual(
      Array(2).fill("resolution_id: is confirmed already"),
    );
    await platform.work();
    const moved = ["hold", "release"];
    expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
    expect(await actionsOn(id)).toEqual(["resolution.proposed", "resolution.confirmed"]);
  });

  it("a request comes several times: it counts once", async () => {
    const payoutId = await unknownPayout();
    const first = by("ada");
    const asked = { payoutId, outcome: rejected, reason };
    const tries = [1, 2, 3, 4];
    const made = await Promise.all(tries.map(() => proposeResolution(deps, asked, first)));
    const ids = new Set(made.map((each) => (isRefused(each) ? each.detail : each.id)));
    expect(ids.size).toBe(1);
    const [id = ""] = ids;
    const second = by("bob");
    const confirmed = await Promise.all(tries.map(() => confirmResolution(deps, id, second)));
    expect(confirmed.filter(isRefused)).toEqual([]);
    expect(await actionsOn(id)).toEqual(["resolution.proposed", "resolution.confirmed"]);
    expect(await endOf(payoutId)).toMatchObject({ resolved: 1 });
  });

  it("several propose: one proposal is open", async () => {
    const payoutId = await unknownPayout();
    const persons = ["ada", "bob", "cleo"].map((person) => by(person));
    const asked = { payoutId, outcome: rejected, reason };
    const made = await Promise.all(persons.map((each) => proposeResolution(deps, asked, each)));
    expect(made.filter(isRefused)).toHaveLength(2);
    expect((await deps.resolutions.openOf([payoutId])).size).toBe(1);
  });

  it("one operation is for two payouts: it counts for one", async () => {
    const payoutIds = [await unknownPayout(), await unknownPayout()];
    const once = by("ada");
    const asked = payoutIds.map((payoutId) => ({ payoutId, outcome: rejected, reason }));
    const made = await Promise.all(asked.map((each) => proposeResolution(deps, each, once)));
    const refusals = made.filter(isRefused).map(({ detail }) => detail);
    expect(refusals).toEqual(["mutation.operation_id: proposed for another payout"]);
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
      fate: undefined,
      payout: { exception: { kind: "contradicted" } },
    });
  });

  it("one confirms and one withdraws: either, and not both", async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const payoutId = await unknownPayout();
      const { id } = await propose(payoutId);
      const [confirmed, withdrawn] = await Promise.all([
        confirmResolution(deps, id, by("bob")),
        withdrawResolution(deps, id, by("ada")),
      ]);
      expect(isRefused(confirmed)).not.toBe(isRefused(withdrawn));
      await platform.work();
      const stage = isRefused(confirmed) ? "unknown" : "rejected";
      expect((await endOf(payoutId)).stage).toBe(stage);
    }
  });

  it("operators and the rail decide: one of them wins, in 50 tries, and money moves once", async () => {
    const payoutIds = await Promise.all(
      Array.from({ length: 50 }, () => platform.execute(accountId, "order")),
    );
    await platform.work();
    for (const [attempt, payoutId] of payoutIds.entries()) {
      const { id } = await propose(payoutId);
      const word = { status: { kind: "settled", reference: "R-1" } } as const;
      const rail = { actor: { kind: "service", id: "rail" }, operationId: `r-${attempt}` } as const;
      const report = () => reportOutcome({ ...platform.parts, ...deps }, payoutId, word, rail);
      let reported: Promise<unknown> | undefined;
      // The rail has reported before the read for the resolution, reports at the same time, or
      // after the decision. The first and the last of these have one end each.
      const meets = (["before", "meanwhile", "meanwhile", "afterwards"] as const)[attempt % 4];
      let reads = 0;
      const payouts: Payouts = Object.assign(Object.create(deps.payouts), {
        findOne: async (...given: Parameters<typeof findOne>) => {
          if (++reads === 2 && meets !== "afterwards") reported = report();
          if (meets === "before") await reported;
          return findOne.apply(deps.payouts, given);
        },
      });
      const meeting = { ...deps, payouts };
      await confirmResolution(meeting, id, by("bob"));
      await (reported ?? report());
      await platform.work();
      const end = await endOf(payoutId);
      const byPeople = end.stage === "rejected";
      if (meets === "before") expect(byPeople).toBe(false);
      if (meets === "afterwards") expect(byPeople).toBe(true);
      expect(end).toEqual(
        byPeople
          ? { stage: "rejected", resolved: 1, moved: ["hold", "release"] }
          : { stage: "settled", resolved: 0, moved: ["hold", "post"] },
      );
      expect(await stateOf(id)).toBe(byPeople ? "applied" : "superseded");
      const payout = await findPayout(platform.payouts, payoutId);
      expect(payout?.exception?.kind).toBe(byPeople ? "contradicted" : undefined);
    }
  });

  it("a worker has the payout: its late answer changes nothing", async () => {
    const payoutId = await unknownPayout();
    const { id } = await propose(payoutId);
    const query = async (): Promise<RailReply> => {
      await confirmResolution(deps, id, by("bob"));
      return { status: { kind: "settled", reference: "R-1" } };
    };
    platform.rails.current = testRail({ query });
    platform.world.offsetMs += 70_000;
    while (await workOnDuePayout(platform.parts));
    const moved = ["hold", "release"];
    expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
  });
});

/** Dependencies of a process that dies at a write: before it, or when it is done. */
function dying(survived: number, isDone: boolean): ResolutionDeps {
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
    ...deps,
    resolutions: mortal(deps.resolutions, "insert", "change", "recorded"),
    audit: mortal(deps.audit, "append"),
    payouts: mortal(deps.payouts, "updateOne"),
  };
}

const deaths = (writes: number) =>
  Array.from({ length: writes }, (_each, at) => [[at, false] as const, [at, true] as const]).flat();

describe("a process that dies", () => {
  it.each(deaths(5))(
    "at write %i of a confirmation (done: %s): a sweep or a repeat goes on",
    async (at, done) => {
      for (const goOn of ["sweep", "repeat"]) {
        const payoutId = await unknownPayout();
        const { id } = await propose(payoutId);
        const second = by("bob");
        await expect(confirmResolution(dying(at, done), id, second)).rejects.toThrow("killed");
        if ((await endOf(payoutId)).resolved === 1) expect(await actionsOn(id)).toHaveLength(2);
        if (goOn === "sweep") {
          await sweepResolutions(platform.parts);
          await platform.work();
          const isConfirmed = at > 0 || done;
          expect(await stateOf(id)).toBe(isConfirmed ? "applied" : "proposed");
        }
        expect(await confirmResolution(deps, id, second)).toMatchObject({
          state: { kind: "applied" },
        });
        await platform.work();
        const moved = ["hold", "release"];
        expect(await endOf(payoutId)).toEqual({ stage: "rejected", resolved: 1, moved });
        expect(await actionsOn(id)).toEqual(["resolution.proposed", "resolution.confirmed"]);
        expect(await deps.resolutions.unfinished()).toEqual([]);
      }
    },
  );

  it.each(deaths(3))(
    "at write %i of a proposal (done: %s): it is in the trail once",
    async (at, done) => {
      for (const sweep of [sweepResolutions, async () => undefined]) {
        const payoutId = await unknownPayout();
        const first = by("ada");
        const asked = { payoutId, outcome: rejected, reason };
        await expect(proposeResolution(dying(at, done), asked, first)).rejects.toThrow("killed");
        await sweep(platform.parts);
        const proposed = await proposeResolution(deps, asked, first);
        if (isRefused(proposed)) throw new Error(proposed.detail);
        expect(await actionsOn(proposed.id)).toEqual(["resolution.proposed"]);
        await withdrawResolution(deps, proposed.id, by("ada"));
        expect(await deps.resolutions.unfinished()).toEqual([]);
      }
    },
  );

  it.each(deaths(3))(
    "at write %i of a withdrawal (done: %s): its repeat is in the trail once",
    async (at, done) => {
      const { id } = await propose(await unknownPayout());
      const again = by("ada");
      await expect(withdrawResolution(dying(at, done), id, again)).rejects.toThrow("killed");
      expect(await withdrawResolution(deps, id, again)).toMatchObject({
        state: { kind: "withdrawn" },
      });
      expect(await actionsOn(id)).toEqual(["resolution.proposed", "resolution.withdrawn"]);
      expect(await deps.resolutions.unfinished()).toEqual([]);
    },
  );

  it("after the payout changed: the confirmed resolution is and stays superseded", async () => {
    const payoutId = await unknownPayout();
    const { id } = await propose(payoutId);
    await expect(confirmResolution(dying(1, true), id, by("bob"))).rejects.toThrow("killed");
    said = { kind: "accepted" };
    await platform.after(70_000);
    await sweepResolutions(platform.parts);
    expect(await stateOf(id)).toBe("superseded");
    said = { kind: "unknown" };
    await platform.after(70_000);
    // A sweep that had read it when it was confirmed finds what was decided.
    const found = await readResolvable(platform.payouts, payoutId, id, new Date());
    expect(found).toMatchObject({ fate: "superseded", payout: { exception: { kind: "unknown" } } });
  });
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
    const { entries } = await platform.operationsRpc.listAuditEntries({ limit: 100 });
    const sequences = entries.map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(sequences.map((_each, at) => (sequences[0] ?? 0) - at));
    expect(entries.at(-1)?.previousHash === "").toBe(sequences.at(-1) === 1);
    const paged: typeof entries = [];
    for (let cursor = "", more = true; more; more = cursor !== "") {
      const page = await platform.operationsRpc.listAuditEntries({ limit: 7, cursor });
      paged.push(...page.entries);
      cursor = page.nextCursor;
    }
    expect(paged.slice(0, entries.length)).toEqual(entries);
  });

  it("shows that an entry was changed or removed", async () => {
    const trail = platform.database.db.collection<{ _id: number; detail: string }>("audit_entries");
    const list = (subject = "") => platform.operationsRpc.listAuditEntries({ limit: 100, subject });
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

  it("counts by its place in the trail, whenever it comes", async () => {
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

describe("a rejection that two persons confirmed", () => {
  it("gives nothing back while a worker is sending the payout", async () => {
    const payoutId = await unknownPayout();
    const read = await findPayout(platform.payouts, payoutId);
    if (read === undefined) throw new Error("no payout");
    await annotate(platform.payouts, read, {
      exception: { kind: "contradicted", since: new Date() },
    });
    const { id } = await propose(payoutId);
    const sending = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<RailReply>();
    const submit = async (key: string): Promise<RailReply> => {
      // What other tests left is due by then too.
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
    const confirmed = await confirmResolution(deps, id, by("bob"));
    expect(confirmed).toMatchObject({ state: { kind: "confirmed" } });
    expect((await endOf(payoutId)).moved).toEqual(["hold"]);
    sent.resolve({ status: { kind: "settled", reference: "R-1" } });
    await working;
    await sweepResolutions(platform.parts);
    expect(await endOf(payoutId)).toMatchObject({ stage: "settled", moved: ["hold", "post"] });
    expect(await stateOf(id)).toBe("superseded");
  });
});
