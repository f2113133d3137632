import { Code } from "@connectrpc/connect";
import { afterEach, describe, expect, it } from "vitest";
import type { ScreeningDocument } from "../screening/store.ts";
import {
  indexOf,
  numbered,
  personEntry,
  requestFor,
  type TestSubjects,
  testSubjects,
} from "../test-subjects.ts";
import { sealRequest } from "./document.ts";
import { monitorRound, rescreenOverdue } from "./round.ts";
import { comparedWith, rescreen, screenSubject } from "./subject-screening.ts";

let test: TestSubjects;
afterEach(() => test.end());

/** An invented word; few of them are similar. */
function word(at: number): string {
  let rest = (at * 2_654_435_761) % 2 ** 32;
  return Array.from({ length: 7 }, (_, place) => {
    const letters = place % 2 === 0 ? "bdfghklmnprstvz" : "aeiou";
    const letter = letters[rest % letters.length] ?? "";
    rest = Math.floor(rest / letters.length);
    return letter;
  }).join("");
}
const invented = (at: number): string => `${word(at)} ${word(at + 7_000_000)}`;
const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => personEntry(`e${from + at}`, invented(from + at)));

const count = 1_000;

it("compares few of many subjects with the changes, and marks the others without opening them", async () => {
  const listed = names(900_000, 900_200);
  const first = indexOf("1", listed);
  test = await testSubjects(first);
  for (let at = 0; at < count; at += 500) {
    const some = Array.from({ length: 500 }, (_, more) => at + more);
    await test.addClear(some.map((each) => requestFor(`ben_${each}`, invented(each))));
  }
  await test.addClear([requestFor("ben_hit", "Yssolde Wrenfjord")]);
  const added = [...names(950_000, 950_005), personEntry("new", "Wrenfjord, Yssolde")];
  test.switchTo(indexOf("2", [...listed, ...added]), { added });

  const started = performance.now();
  const result = await monitorRound(test.deps);
  const ms = Math.round(performance.now() - started);
  const { screened } = result;
  process.stdout.write(`${count + 1} subjects: ${screened} compared whole, in ${ms} ms\n`);
  expect(result).toEqual({ screened, spared: count + 1 - screened, failed: 0, ahead: 0 });
  expect(screened).toBeLessThan(count / 20);
  expect(test.counts).toEqual({ opened: screened, screened });
  const hit = await test.subjects.findOne({ record_id: "ben_hit" });
  expect(hit).toMatchObject({ verdict: "block", revision: 2, entries: ["test:new"] });
  expect(await test.subjects.distinct("stamp")).toHaveLength(1);
  // No work is left.
  expect(await monitorRound(test.deps)).toEqual({ screened: 0, spared: 0, failed: 0, ahead: 0 });
});

it("marks no subject that a change concerns, however late it was stored", async () => {
  const listed = names(0, 3);
  test = await testSubjects(indexOf("1", listed));
  const some = ["Yssolde Wrenfjord", "Wrenfjord Marn", "Harlan Mosswick"];
  const page = some.map((name, at) => requestFor(`ben_${at}`, name));
  await test.addClear(page);
  await test.subjects.updateOne({ record_id: "ben_2" }, { $set: { entries: ["test:e1"] } });
  const [late] = await test.subjects.find({ record_id: "ben_1" }).toArray();
  const { stamp = "", keys = [] } = late ?? {};
  const subjects = page.map(({ subject }) => subject);
  const to = comparedWith(indexOf("2", listed), test.deps.hashes);
  const restamp = (concerned: readonly number[], entries: readonly string[]) =>
    test.deps.subjects.restamp(subjects, { stamp, keys: concerned, entries }, to);
  expect(await restamp(keys, ["test:e1"])).toBe(0);
  expect(await restamp(keys, [])).toBe(1);
  const other = { stamp: "other", keys: [], entries: [] };
  expect(await test.deps.subjects.restamp(subjects, other, to)).toBe(0);
});

it("continues with the others when one cannot be opened", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  await test.addClear(["ben_1", "ben_2"].map((record) => requestFor(record, "Yssolde Wrenfjord")));
  const { subjects } = test;
  await subjects.updateOne({ record_id: "ben_1" }, { $set: { sealed: "k9.lost" } });
  const added = [personEntry("new", "Yssolde Wrenfjord")];
  test.switchTo(indexOf("2", [...names(0, 3), ...added]), { added });
  expect(await monitorRound(test.deps)).toEqual({ screened: 1, spared: 0, failed: 1, ahead: 0 });
  expect(await subjects.findOne({ record_id: "ben_2" })).toMatchObject({ verdict: "block" });
  // It is still due, and does not count as compared.
  expect(await subjects.findOne({ record_id: "ben_1" })).toMatchObject({
    lists: [{ import_id: "1" }],
  });
});

it("screens a confirmed subject again when its entry is removed", async () => {
  const listed = names(0, 3);
  test = await testSubjects(indexOf("1", listed));
  let standing = [{ list: "test", entryUid: "e1" }];
  const decisionsOf = async () => ({ ofHits: [], standing });
  const deps = { ...test.deps, alerts: { ...test.deps.alerts, decisionsOf } };
  const by = { operationId: "op-1", actor: { kind: "service", id: "test" } } as const;
  const { screening } = await screenSubject(deps, requestFor("ben_1", "Harlan Mosswick"), by);
  expect(screening).toMatchObject({ verdict: "block", hits: [] });
  const ben = () => test.subjects.findOne({ record_id: "ben_1" });
  expect(await ben()).toMatchObject({ entries: ["test:e1"] });

  standing = [];
  const removed = listed.slice(1, 2);
  test.switchTo(indexOf("2", listed.toSpliced(1, 1)), { removed });
  expect(await monitorRound(deps)).toEqual({ screened: 1, spared: 0, failed: 0, ahead: 0 });
  expect(await ben()).toMatchObject({ verdict: "clear", entries: [] });
});

it("compares everyone with a change of more entries than a look-up is worth", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  await test.addClear([requestFor("ben_1", "Harlan Mosswick"), requestFor("ben_2", "Any Body")]);
  const added = names(1_000, 2_001);
  test.switchTo(indexOf("2", [...names(0, 3), ...added]), { added });
  expect(await monitorRound(test.deps)).toEqual({ screened: 2, spared: 0, failed: 0, ahead: 0 });
});

it("compares everyone with a change of more names than a look-up is worth", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  await test.addClear([requestFor("ben_1", "Harlan Mosswick"), requestFor("ben_2", "Any Body")]);
  const many = names(1_000, 7_000).flatMap((entry) => entry.names);
  const added = [{ ...personEntry("new", ""), names: many }];
  test.switchTo(indexOf("2", names(0, 3)), { added });
  expect(await monitorRound(test.deps)).toEqual({ screened: 2, spared: 0, failed: 0, ahead: 0 });
  const removed = names(0, 10_001);
  test.switchTo(indexOf("3", names(0, 3)), { removed });
  expect(await monitorRound(test.deps)).toEqual({ screened: 2, spared: 0, failed: 0, ahead: 0 });
});

it("compares overdue subjects past any number that cannot be opened", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  const { subjects } = test;
  const lost = Array.from({ length: 501 }, (_, at) => requestFor(`lost_${at}`, "Any Body"));
  await test.addClear([...lost, requestFor("ben_1", "Harlan Mosswick")]);
  await subjects.updateMany({}, { $set: { compared_at: new Date(1_000), sealed: "k9.lost" } });
  const sealed = sealRequest(requestFor("ben_1", "Harlan Mosswick"), test.deps.sealer);
  const last = { compared_at: new Date(2_000), sealed };
  await subjects.updateOne({ record_id: "ben_1" }, { $set: last });
  const since = new Date(3_000);
  const result = await rescreenOverdue(test.deps, since);
  expect(result).toEqual({ screened: 1, spared: 0, failed: 501, ahead: 0 });
  expect(await subjects.countDocuments({ compared_at: { $lt: since } })).toBe(501);
});

it("compares everyone who was compared with a version that cannot be read any more", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  await test.addClear([requestFor("ben_1", "Harlan Mosswick"), requestFor("ben_2", "Any Body")]);
  test.switchTo(indexOf("2", [...names(0, 3), personEntry("new", "Harlan Mosswick")]), {});
  const changedEntries = () => Promise.reject(new Error("63 of 64 chunks could be read"));
  const result = await monitorRound({ ...test.deps, changedEntries });
  expect(result).toEqual({ screened: 2, spared: 0, failed: 0, ahead: 0 });
  expect(await test.subjects.findOne({ record_id: "ben_1" })).toMatchObject({ verdict: "block" });
});

it("compares a subject with too many names for a look-up with every change", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  const { parties, ...requested } = requestFor("ben_1", "");
  const many = Array.from({ length: 50 }, (_each, at) => {
    const words = Array.from({ length: 24 }, (_word, place) => word(at * 24 + place));
    return { ...parties[0], type: "individual", name: words.join(" ") } as (typeof parties)[0];
  });
  await test.addClear([{ ...requested, parties: many }, requestFor("ben_2", "Harlan Mosswick")]);
  expect((await test.subjects.findOne({ record_id: "ben_1" }))?.keys).toHaveLength(1);
  const added = [personEntry("new", "Yssolde Wrenfjord")];
  test.switchTo(indexOf("2", [...names(0, 3), ...added]), { added });
  expect(await monitorRound(test.deps)).toEqual({ screened: 1, spared: 1, failed: 0, ahead: 0 });
});

it("takes nothing into force for a subject that was screened again meanwhile", async () => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  const { deps, subjects } = test;
  await test.addClear([requestFor("ben_1", "Harlan Mosswick")]);
  const added = [personEntry("new", "Harlan Mosswick")];
  test.switchTo(indexOf("2", [...names(0, 3), ...added]), { added });
  // The owner's screening under another name runs during the comparison of the old name.
  const by = { operationId: "operation-1", actor: { kind: "service", id: "test" } } as const;
  let isFirst = true;
  const decisionsOf: typeof deps.alerts.decisionsOf = async (subject, found) => {
    if (isFirst) {
      isFirst = false;
      await screenSubject(deps, requestFor("ben_1", "Yssolde Wrenfjord"), by);
    }
    return deps.alerts.decisionsOf(subject, found);
  };
  await monitorRound({ ...deps, alerts: { ...deps.alerts, decisionsOf } });
  // The owner's revision, and one of the restarted comparison, which found the same.
  expect(await subjects.findOne({})).toMatchObject({ verdict: "clear", revision: 3 });
  expect(await subjects.findOne({})).not.toHaveProperty("outbox");
});

it("takes no result into force that uses older decisions than a later comparison", async () => {
  test = await testSubjects(indexOf("1", [...names(0, 3), personEntry("new", "Harlan Mosswick")]));
  const { deps, subjects } = test;
  const requested = requestFor("ben_1", "Harlan Mosswick");
  const by = (operationId: string) =>
    ({ operationId, actor: { kind: "service", id: "test" } }) as const;
  await screenSubject(deps, requested, by("1"));
  // A false positive is withdrawn after it was read, and the result equals the previous one.
  let isFirst = true;
  const decisionsOf: typeof deps.alerts.decisionsOf = async (subject, found) => {
    if (!isFirst) return deps.alerts.decisionsOf(subject, found);
    isFirst = false;
    await rescreen(deps, subject, "decision");
    const ofHits = found.hits.map(() => ({ alertId: "", disposition: "false_positive" }) as const);
    return { ...(await deps.alerts.decisionsOf(subject, found)), ofHits };
  };
  await screenSubject({ ...deps, alerts: { ...deps.alerts, decisionsOf } }, requested, by("2"));
  expect(await subjects.findOne({})).toMatchObject({ verdict: "block" });
});

it("never goes back to a list that another process has replaced", async () => {
  const [one, two] = [names(0, 3), [...names(0, 3), personEntry("new", "Harlan Mosswick")]];
  test = await testSubjects(indexOf("2", two));
  const { deps, subjects } = test;
  const requested = requestFor("ben_1", "Harlan Mosswick");
  const by = (operationId: string) =>
    ({ operationId, actor: { kind: "service", id: "test" } }) as const;
  expect((await screenSubject(deps, requested, by("1"))).screening.verdict).toBe("block");
  // This process still has the previous version; the new one can be read.
  test.switchTo(indexOf("1", one), {});
  test.switchElsewhere(indexOf("2", two));
  expect((await screenSubject(deps, requested, by("2"))).screening.verdict).toBe("block");
  test.switchTo(indexOf("1", one), {});
  expect(await monitorRound(deps)).toEqual({ screened: 0, spared: 0, failed: 0, ahead: 0 });
  expect(await subjects.findOne({})).toMatchObject({
    verdict: "block",
    lists: [{ import_id: "2" }],
  });
});

describe("a process with an older configuration of the matcher", () => {
  const requested = requestFor("ben_1", "Harlan Mosswick");
  const by = (operationId: string) =>
    ({ operationId, actor: { kind: "service", id: "test" } }) as const;
  // The newer configuration finds a hit that the older one does not.
  const newer = numbered(indexOf("1", [personEntry("e1", "Harlan Mosswick")]), 7);
  const older = numbered(indexOf("1", [personEntry("e1", "Any Body")]), 6);
  const ben = () => test.subjects.findOne({ record_id: "ben_1" });

  it("leaves a subject of a newer one alone, and is unavailable for it", async () => {
    test = await testSubjects(newer);
    const { deps } = test;
    const first = await screenSubject(deps, requested, by("1"));
    const before = await ben();
    expect(before).toMatchObject({ verdict: "block", configuration_revision: 7 });
    test.switchTo(older, {});
    const nothing = { screened: 0, spared: 0, failed: 0 };
    expect(await monitorRound(deps)).toEqual({ ...nothing, ahead: 1 });
    expect(await rescreenOverdue(deps, new Date(Date.now() + 60_000))).toEqual({
      ...nothing,
      ahead: 0,
    });
    const unavailable = { code: Code.Unavailable };
    await expect(rescreen(deps, requested.subject, "decision")).rejects.toMatchObject(unavailable);
    await expect(screenSubject(deps, requested, by("2"))).rejects.toMatchObject(unavailable);
    expect((await screenSubject(deps, requested, by("1"))).screening.id).toBe(first.screening.id);
    expect(await ben()).toEqual(before);
  });

  it("takes no result into force that a newer one overtook during the comparison", async () => {
    test = await testSubjects(newer);
    const { deps } = test;
    for (const known of [false, true]) {
      await test.subjects.deleteMany({});
      test.switchTo(older, {});
      if (known) await screenSubject(deps, requested, by("old-1"));
      let isFirst = true;
      const decisionsOf: typeof deps.alerts.decisionsOf = async (subject, found) => {
        if (isFirst) {
          isFirst = false;
          const current = () => newer;
          const elsewhere = { ...deps, watch: { ...deps.watch, current } };
          await screenSubject(elsewhere, requested, by(`new-${known}`));
        }
        return deps.alerts.decisionsOf(subject, found);
      };
      const late = { ...deps, alerts: { ...deps.alerts, decisionsOf } };
      const call = screenSubject(late, requested, by(`old-2-${known}`));
      await expect(call).rejects.toMatchObject({ code: Code.Unavailable });
      expect(await ben()).toMatchObject({ verdict: "block", configuration_revision: 7 });
    }
  });

  it("is prevented from it by each write itself", async () => {
    test = await testSubjects(newer);
    const { subjects } = test.deps;
    await test.addClear([requested]);
    const stored = await ben();
    if (stored === null) throw new Error("not stored");
    const as = comparedWith(older, test.deps.hashes);
    const { stamp, compared_at, keys, sealed } = stored;
    const restamped = subjects.restamp([requested.subject], { stamp, keys: [], entries: [] }, as);
    expect(await restamped).toBe(0);
    expect(await subjects.compared(stored, { ...as, compared_at, keys, sealed })).toBe(false);
    const next = { ...stored, ...as, recording: {} as ScreeningDocument };
    expect(await subjects.put(stored, next, undefined)).toBe(false);
    expect(await ben()).toEqual(stored);
  });
});

it.each([
  ["an earlier time", -1_000],
  ["the same time", 0],
])("dates each result later than the previous one if the clock shows %s", async (_what, byMs) => {
  test = await testSubjects(indexOf("1", names(0, 3)));
  const { deps, subjects } = test;
  await test.addClear([requestFor("ben_1", "Harlan Mosswick")]);
  const before = await subjects.findOne({});
  const added = [personEntry("new", "Harlan Mosswick")];
  test.switchTo(indexOf("2", [...names(0, 3), ...added]), { added });
  const screenedMs = before?.screened_at.getTime() ?? Number.NaN;
  await monitorRound({ ...deps, clock: { now: () => new Date(screenedMs + byMs) } });
  const later = new Date(screenedMs + 1);
  const after = await subjects.findOne({});
  expect(after).toMatchObject({ verdict: "block", screened_at: later, outbox: [{ at: later }] });
  expect(after?.screening_id).toBe((await deps.store.list(anyScreening, 1))[0]?.id);
});

const anyScreening = { merchantId: "", recordId: "", verdict: undefined, before: undefined };
