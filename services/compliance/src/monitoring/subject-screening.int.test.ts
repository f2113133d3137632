import { fromBinary, toJson } from "@bufbuild/protobuf";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Found, ScreeningInForce } from "../alerts/raising.ts";
import { type Disposition, decidableMax, isTruncated } from "../screening/rules/decided-finding.ts";
import {
  indexOf,
  personEntry,
  requestFor,
  type TestSubjects,
  testSubjects,
} from "../test-subjects.ts";
import { openRequest } from "./document.ts";
import { finishScreening, rescreen, type SubjectDeps, screenSubject } from "./subject-screening.ts";

const others = [personEntry("e1", "Ulvanka Drostig")];
const without = indexOf("1", others);
const withHit = indexOf("2", [...others, personEntry("e2", "Harlan Mosswick")]);
const request = requestFor("ben_1", "Harlan Mosswick");
const { subject } = request;
const query = { parties: request.parties, wallets: [], banks: [] };
const actor = { kind: "service", id: "beneficiary" } as const;
const by = (operationId: string) => ({ operationId, actor });
const now = new Date("2026-01-01T00:00:00Z");
const ms = (more: number) => new Date(now.getTime() + more);

let test: TestSubjects;
/** The calls of a screening to the rest of the service. */
let calls: unknown[];
let found: Found[];
let raised: ScreeningInForce[];
let deps: SubjectDeps;
/** Operators' decision about each hit. */
let disposition: Disposition;

beforeAll(async () => {
  test = await testSubjects(without);
});
afterAll(() => test.end());
beforeEach(async () => {
  await Promise.all([test.subjects.deleteMany({}), test.screenings.deleteMany({})]);
  test.switchTo(without, {});
  [calls, found, raised, disposition] = [[], [], [], "undecided"];
  deps = {
    ...test.deps,
    clock: { now: () => now },
    alerts: {
      decisionsOf: async (_subject, screened) => {
        found.push(screened);
        const ofHits = screened.hits.map(({ entryUid }) => ({
          alertId: `alr_${entryUid}`,
          disposition,
        }));
        return { ofHits, standing: [] };
      },
      raise: async (each) => void raised.push(each),
    },
    screened: ({ id }) => void calls.push(["screened", id]),
    compared: (...how) => void calls.push(["compared", ...how]),
    eventPending: () => void calls.push(["event"]),
  };
});

async function ben() {
  const document = await test.subjects.findOne({ record_id: "ben_1" });
  if (document === null) throw new Error("not monitored");
  return document;
}

describe("a subject's screening", () => {
  it("for its owner is in force, stored and reported in full", async () => {
    const first = await screenSubject(deps, request, by("op-1"));
    const { id } = first.screening;
    const screening = {
      ...{ id, kind: "party", trigger: "request", subject, verdict: "clear", hits: [] },
      ...{ lists: without.lists, configurationVersion: without.configurationVersion },
      createdAt: now,
    };
    expect(first).toEqual({ screening, request: JSON.stringify(request) });
    expect(await deps.store.get(id)).toEqual(first);
    expect(await test.screenings.findOne()).toMatchObject({ operation_id: "op-1", actor });
    const document = await ben();
    expect(document).toEqual({
      ...{ _id: "mer_1 ben_1", schema_version: 1, merchant_id: "mer_1", record_id: "ben_1" },
      ...{ stamp: `${deps.hashes.keyring} 1`, keyring: deps.hashes.keyring },
      configuration_version: without.configurationVersion,
      configuration_revision: without.configurationRevision,
      lists: [{ list: "test", import_id: "1" }],
      keys: await deps.hashes.ofRequest(request),
      ...{ revision: 1, verdict: "clear", screening_id: id, screened_at: now, compared_at: now },
      ...{ found: expect.stringMatching(/^[0-9a-f]{64}$/), entries: [] },
      sealed: expect.any(String),
      opened_by: id,
    });
    expect(openRequest(document, deps.sealer)).toEqual(request);
    expect(found).toEqual([{ request: query, hits: [], isFirst: true }]);
    expect(raised).toEqual([]);
    expect(calls).toEqual([
      ["compared", "request", "changed"],
      ["screened", id],
    ]);
  });

  it("after a change of a list is in force, stored and reported in full, and its verdict is news", async () => {
    const first = await screenSubject(deps, request, by("op-1"));
    const before = await ben();
    test.switchTo(withHit, {});
    calls = [];
    await rescreen(deps, subject, "list_change");
    const after = await ben();
    const id = after.screening_id;
    const next = await deps.store.get(id);
    expect(next).toEqual({
      screening: {
        ...{ ...first.screening, id, trigger: "list_change", verdict: "block" },
        ...{ hits: next?.screening.hits, lists: withHit.lists, createdAt: ms(1) },
      },
      request: first.request,
    });
    expect(next?.screening.hits).toMatchObject([{ entryUid: "e2", alertId: "alr_e2" }]);
    expect(await test.screenings.findOne({ _id: id })).toMatchObject({
      ...{ operation_id: id, actor: { kind: "service", id: "compliance" } },
    });
    const [{ body } = {}] = after.outbox ?? [];
    expect(after).toEqual({
      ...{ ...before, revision: 2, verdict: "block", screening_id: id, entries: ["test:e2"] },
      ...{ stamp: `${deps.hashes.keyring} 2`, lists: [{ list: "test", import_id: "2" }] },
      ...{ screened_at: ms(1), compared_at: ms(1), found: after.found, sealed: after.sealed },
      outbox: [{ id: derivedId("event", id), key: "screening.changed", at: ms(1), body }],
    });
    const event = body && fromBinary(ScreeningChangedSchema, body.value());
    expect(event && toJson(ScreeningChangedSchema, event)).toEqual({
      ...{ eventId: derivedId("event", id), occurredAt: "2026-01-01T00:00:00.001Z" },
      ...{ subject, screeningId: id, verdict: "VERDICT_BLOCK" },
      screenedAt: "2026-01-01T00:00:00.001Z",
    });
    expect(found[1]).toMatchObject({ hits: [{ entryUid: "e2" }], isFirst: false });
    expect(raised[0]).toEqual({ subject, revision: 2, request, screening: next?.screening });
    expect(calls).toEqual([["compared", "list_change", "changed"], ["screened", id], ["event"]]);
  });

  it("that finds nothing new records the time of its comparison, and is no screening", async () => {
    await screenSubject(deps, request, by("op-1"));
    const before = await ben();
    calls = [];
    const later = { ...deps, clock: { now: () => ms(9_000) } };
    await rescreen(later, subject, "configuration_change");
    const after = await ben();
    expect(after).toEqual({
      ...{ ...before, revision: 2, compared_at: ms(9_000), sealed: after.sealed },
    });
    expect(calls).toEqual([["compared", "configuration_change", "same"]]);
    expect(await test.screenings.countDocuments()).toBe(1);
  });

  it("by another request publishes no event to its owner, who has the response", async () => {
    await screenSubject(deps, request, by("op-1"));
    test.switchTo(withHit, {});
    const second = await screenSubject(deps, request, by("op-2"));
    expect(second.screening.verdict).toBe("block");
    expect(await ben()).not.toHaveProperty("outbox");
    expect(calls).not.toContainEqual(["event"]);
  });

  it("of another entry but the same verdict is no news", async () => {
    test.switchTo(withHit, {});
    await screenSubject(deps, request, by("op-1"));
    test.switchTo(indexOf("3", [personEntry("e3", "Harlan Mosswick")]), {});
    await rescreen(deps, subject, "list_change");
    expect(await ben()).toMatchObject({ revision: 2, entries: ["test:e3"] });
    expect(await ben()).not.toHaveProperty("outbox");
  });

  it("rests on all hits where more are found than are listed", async () => {
    const namesakes = Array.from({ length: 25 }, (_each, at) =>
      personEntry(`n${at}`, "Harlan Mosswick"),
    );
    test.switchTo(indexOf("2", namesakes), {});
    disposition = "false_positive";
    const { screening } = await screenSubject(deps, request, by("op-1"));
    expect(found[0]?.hits.map(({ entryUid }) => entryUid).toSorted()).toEqual(
      namesakes.map(({ uid }) => uid).toSorted(),
    );
    expect(screening.verdict).toBe("clear");
    expect(isTruncated(screening)).toBe(true);
  });

  it("is compared once where all hits are listed", async () => {
    const queries: unknown[] = [];
    const counting = (count: number) => {
      const namesakes = Array.from({ length: count }, (_each, at) =>
        personEntry(`n${at}`, "Harlan Mosswick"),
      );
      const index = indexOf(`${count}`, namesakes);
      const screen: typeof index.screen = (each) => {
        queries.push(each);
        return index.screen(each);
      };
      test.switchTo({ ...index, screen }, {});
    };
    counting(1);
    await screenSubject(deps, request, by("op-1"));
    expect(queries.splice(0)).toEqual([query]);
    counting(20);
    await screenSubject(deps, request, by("op-2"));
    expect(queries).toEqual([query, { ...query, most: decidableMax }]);
  });
});

describe("lists are read again", () => {
  it("only for a subject that was compared with others than this process has", async () => {
    let reads = 0;
    const refresh = async () => {
      reads += 1;
    };
    deps = { ...deps, watch: { ...deps.watch, refresh } };
    await screenSubject(deps, request, by("op-1"));
    await screenSubject(deps, request, by("op-2"));
    expect(reads).toBe(0);
    test.switchTo(withHit, {});
    await screenSubject(deps, request, by("op-3"));
    expect(reads).toBe(1);
  });
});

describe("a first screening without hits", () => {
  /** Runs `meanwhile` between the two writes of a first screening. */
  const interrupted = (meanwhile: () => Promise<unknown>): SubjectDeps => {
    const open: typeof deps.subjects.open = async (document) => {
      await meanwhile();
      return deps.subjects.open(document);
    };
    return { ...deps, subjects: { ...deps.subjects, open } };
  };
  const crash = () => Promise.reject(new Error("crashed"));
  const verdictOf = async (operation: string) => {
    const { screening } = await screenSubject(deps, request, by(operation));
    return [screening.verdict, screening.id];
  };

  it("inserts its subject with the result, and writes it no more", async () => {
    const unused = async () => {
      throw new Error("written again");
    };
    const subjects = { ...deps.subjects, put: unused, finished: unused };
    const first = await screenSubject({ ...deps, subjects }, request, by("op-1"));
    expect(await ben()).toMatchObject({ screening_id: first.screening.id, revision: 1 });
    expect(await ben()).not.toHaveProperty("recording");
    expect(await screenSubject(deps, request, by("op-1"))).toEqual(first);
  });

  it("is not the operation's result if a crash left it without its subject", async () => {
    await expect(screenSubject(interrupted(crash), request, by("op-1"))).rejects.toThrow("crashed");
    expect(await test.subjects.countDocuments()).toBe(0);
    test.switchTo(withHit, {});
    const [verdict, id] = await verdictOf("op-1");
    expect([verdict, (await ben()).screening_id]).toEqual(["block", id]);
    expect(await verdictOf("op-1")).toEqual([verdict, id]);
  });

  it.each(["op-1", "op-2"])(
    "is not in force once %s overtook it with newer lists",
    async (other) => {
      const overtake = async () => {
        test.switchTo(withHit, {});
        await screenSubject(deps, request, by(other));
      };
      const { screening } = await screenSubject(interrupted(overtake), request, by("op-1"));
      expect([screening.verdict, (await ben()).screening_id]).toEqual(["block", screening.id]);
      expect(await verdictOf("op-1")).toEqual(["block", screening.id]);
    },
  );

  it("is one if its operation is sent twice at once", async () => {
    let winner: unknown;
    const overtake = async () => {
      winner = await screenSubject(deps, request, by("op-1"));
    };
    const answer = await screenSubject(interrupted(overtake), request, by("op-1"));
    expect(answer).toEqual(winner);
    expect(await screenSubject(deps, request, by("op-1"))).toEqual(winner);
    expect(await ben()).toMatchObject({ revision: 1, screening_id: answer.screening.id });
  });

  it("is returned to another subject with the same operation", async () => {
    const first = await screenSubject(deps, request, by("op-1"));
    const other = requestFor("ben_2", "Harlan Mosswick");
    expect(await screenSubject(deps, other, by("op-1"))).toEqual(first);
  });
});

describe("after a crash", () => {
  beforeEach(() => test.switchTo(withHit, {}));
  /** A screening that is in force but not stored. */
  async function crashed() {
    const lost = { ...deps.store, keep: async () => undefined };
    const raise = () => Promise.reject(new Error("crashed"));
    const crashing = { ...deps, store: lost, alerts: { ...deps.alerts, raise } };
    return await screenSubject(crashing, request, by("op-1"));
  }

  it("a screening is stored before the next one takes its place", async () => {
    const first = await crashed();
    expect(await deps.store.get(first.screening.id)).toBeUndefined();
    test.switchTo(without, {});
    await rescreen(deps, subject, "list_change");
    expect(await deps.store.get(first.screening.id)).toEqual(first);
    expect(await test.screenings.countDocuments()).toBe(2);
  });

  it("the repeat of an operation returns its first screening", async () => {
    const first = await crashed();
    test.switchTo(without, {});
    expect(await screenSubject(deps, request, by("op-1"))).toEqual(first);
    expect(await test.screenings.countDocuments()).toBe(1);
  });

  it("a screening is finished once: stored, its alerts raised, and no longer held", async () => {
    const { screening } = await crashed();
    const left = await ben();
    expect(left.recording?._id).toBe(screening.id);
    await finishScreening(deps, left);
    expect(raised).toEqual([{ subject, revision: 1, request, screening }]);
    expect(await test.screenings.countDocuments()).toBe(1);
    const { recording: _done, ...finished } = left;
    expect(await ben()).toEqual(finished);
    await finishScreening(deps, finished);
    expect(raised).toHaveLength(1);
  });
});

describe("a subject that is overtaken by others each time", () => {
  const overtaken =
    "every attempt to store the screening failed, because another one of the subject was stored first";
  let tries: number;
  beforeEach(async () => {
    tries = 0;
    await screenSubject(deps, request, by("op-1"));
    const lost = async () => {
      tries += 1;
      return false;
    };
    deps = { ...deps, subjects: { ...deps.subjects, put: lost, compared: lost } };
  });

  it.each([
    ["its owner's screening", () => screenSubject(deps, request, by("op-2"))],
    ["a comparison that finds nothing new", () => rescreen(deps, subject, "list_change")],
  ])("is given up after 50 tries of %s", async (_what, screening) => {
    await expect(screening()).rejects.toThrow(overtaken);
    expect(tries).toBe(50);
    expect(await test.screenings.countDocuments()).toBe(1);
  });
});

describe("a subject that its merchant lists in a sandbox", () => {
  const list = async (verdict: "clear" | "review" | "block", of = subject) => {
    const isListed = await deps.subjects.setListing(of, verdict);
    await rescreen(deps, of, "list_change");
    return isListed;
  };

  it.each(["review", "block"] as const)("has a hit of that verdict: %s", async (verdict) => {
    const other = requestFor("ben_2", "Harlan Mosswick");
    await screenSubject(deps, request, by("op-1"));
    await screenSubject(deps, other, by("op-2"));
    expect(await list(verdict)).toBe(true);
    const { screening_id, outbox } = await ben();
    const stored = await deps.store.get(screening_id);
    expect(stored?.screening).toMatchObject({
      ...{ verdict, trigger: "list_change" },
      hits: [{ list: "", entryUid: "own-listing", verdict }],
    });
    expect(outbox).toHaveLength(1);
    expect(await test.subjects.findOne({ record_id: "ben_2" })).toMatchObject({ verdict: "clear" });
    await screenSubject(deps, request, by("op-3"));
    expect(await ben()).toMatchObject({ verdict });
  });

  it("depends on the lists alone once it is unlisted", async () => {
    await screenSubject(deps, request, by("op-1"));
    await list("block");
    await list("clear");
    expect(await ben()).toMatchObject({ verdict: "clear", entries: [] });
    expect(await ben()).not.toHaveProperty("listed");
    test.switchTo(withHit, {});
    await list("review");
    expect(await ben()).toMatchObject({ verdict: "block" });
  });

  it("has to be there", async () => {
    expect(await list("block", { merchantId: "mer_2", recordId: "ben_1" })).toBe(false);
  });
});
