import { randomBytes } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  Party_Type,
  type Screening,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ScreeningDocument } from "../screening/store.ts";
import {
  importLines,
  mutation,
  personLine,
  type Rpc,
  refusalOf,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import type { SubjectDocument } from "./document.ts";

let test: TestCompliance;
beforeEach(async () => {
  test = await testCompliance();
});
afterEach(() => test.end());

const subjects = () => test.database.db.collection<SubjectDocument>("subjects");
const screenings = () => test.database.db.collection<ScreeningDocument>("screenings");
const subjectOf = async (record: string) => {
  const found = await subjects().findOne({ record_id: record });
  if (found === null) throw new Error(`${record} is not monitored`);
  return found;
};

const lines = (...names: string[]) =>
  names.map((name) => personLine(name.replaceAll(" ", "-"), name)).join("");
const always = "Ulvanka Drostig";

async function screened(rpc: Rpc, record: string, name: string, operation?: string) {
  const { screening } = await rpc.screenParty({
    mutation: mutation(operation),
    subject: { merchantId: "mer_1", recordId: record },
    parties: [{ type: Party_Type.INDIVIDUAL, name }],
  });
  if (screening === undefined) throw new Error("no screening");
  return screening;
}

/** The machine may be busy with other tests. */
const eventually = <T>(check: () => T | Promise<T>) =>
  vi.waitFor(check, { timeout: 15_000, interval: 50 });

/** Waits until all subjects are compared with the lists in force. */
const settled = () =>
  eventually(async () => {
    const stamps = await subjects().distinct("stamp");
    const lists = await test.database.db.collection("lists_in_force").find().toArray();
    const imports = await subjects().distinct("lists.import_id");
    expect(stamps).toHaveLength(1);
    expect(imports.sort()).toEqual(lists.map((list) => list.import_id as string).sort());
    expect(await subjects().countDocuments({ "recording._id": { $gt: "" } })).toBe(0);
  });
const eventsOf = (record: string) =>
  test.events.filter(({ subject }) => subject?.recordId === record);

describe("a monitored party", () => {
  it("is stopped when it comes onto a list, and cleared when it leaves it", async () => {
    const rpc = await test.start();
    await importLines(rpc, lines(always), "1");
    const first = await screened(rpc, "ben_1", "Qorvath Zembling");
    expect(first).toMatchObject({ verdict: Verdict.CLEAR, trigger: "request" });
    for (let at = 2; at < 12; at += 1) await screened(rpc, `ben_${at}`, `Harlan Mosswick ${at}`);
    const before = await subjectOf("ben_2");

    await importLines(rpc, lines(always, "Zembling Qorvath"), "2");
    await eventually(() => expect(eventsOf("ben_1")).toHaveLength(1));
    const [stopped] = eventsOf("ben_1");
    expect(stopped).toMatchObject({ verdict: Verdict.BLOCK });
    expect(stopped?.subject).toMatchObject({ merchantId: "mer_1", recordId: "ben_1" });
    const { screening } = await rpc.getScreening({ screeningId: stopped?.screeningId ?? "" });
    expect(screening).toMatchObject({
      ...{ trigger: "list_change", verdict: Verdict.BLOCK, createdAt: stopped?.screenedAt },
      ...{ parties: [{ name: "Qorvath Zembling" }], lists: [{ version: "2" }] },
      hits: [{ entryUid: "Zembling-Qorvath", alertId: expect.stringMatching(/^alr_/) }],
    });

    await importLines(rpc, lines(always), "3");
    await settled();
    expect(eventsOf("ben_1")).toHaveLength(1);
    expect(await test.approveAll()).toBe(1);
    await eventually(() => expect(eventsOf("ben_1")).toHaveLength(2));
    expect(eventsOf("ben_1")[1]).toMatchObject({ verdict: Verdict.CLEAR });
    expect(timesOf(eventsOf("ben_1"))).toEqual(timesOf(eventsOf("ben_1")).toSorted());
    await settled();
    expect(await subjectOf("ben_1")).toMatchObject({ verdict: "clear", revision: 4, entries: [] });
    // All others were only marked.
    expect(test.events).toHaveLength(2);
    const after = await subjectOf("ben_2");
    expect(after).toMatchObject({ revision: 1, compared_at: before.compared_at });
    expect(after.stamp).toBe((await subjectOf("ben_1")).stamp);
    expect(await screenings().countDocuments()).toBe(13);
  });

  it("is compared again with a changed entry, by any of its wallets too", async () => {
    const rpc = await test.start();
    const wallet = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    const entry = { uid: "1", type: "individual", names: [{ name: always }] };
    const line = (more: object) => `${JSON.stringify({ ...entry, ...more })}\n`;
    await importLines(rpc, line({}), "1");
    const subject = { merchantId: "mer_1", recordId: "dep_1" };
    await rpc.screenParty({ mutation: mutation(), subject, wallets: [{ address: wallet }] });
    await importLines(rpc, line({ crypto: [{ currency: "XBT", address: wallet }] }), "2");
    await eventually(() => expect(test.events).toMatchObject([{ verdict: Verdict.BLOCK }]));
    await importLines(rpc, line({ programs: ["ANY"] }), "3");
    expect(await test.approveAll()).toBe(1);
    await eventually(() => expect(test.events).toHaveLength(2));
    expect(test.events[1]).toMatchObject({ verdict: Verdict.CLEAR, subject });
  });

  it("is published once, however many processes watch the lists", async () => {
    const rpcs = [await test.start(), await test.start()] as [Rpc, Rpc];
    await importLines(rpcs[0], lines(always), "1");
    await eventually(() => screened(rpcs[1], "ben_0", "Qorvath Zembling"));
    for (let at = 1; at < 10; at += 1) {
      await screened(rpcs[at % 2] as Rpc, `ben_${at}`, "Qorvath Zembling");
    }
    await importLines(rpcs[1], lines(always, "Qorvath Zembling"), "2");
    await eventually(() => expect(test.events).toHaveLength(10));
    await settled();
    expect(test.events).toHaveLength(10);
    expect(await screenings().countDocuments({ trigger: "list_change" })).toBe(10);
  });

  it("ends with the right verdict, whatever its owner and the lists do concurrently", async () => {
    const rpcs = [await test.start(), await test.start()] as [Rpc, Rpc];
    await importLines(rpcs[0], lines(always), "0");
    await eventually(() => screened(rpcs[1], "ben_0", "Any Body"));
    const names = ["Qorvath Zembling", "Harlan Mosswick"];
    const answers: Screening[] = [];
    const owner = async (record: string, rpc: Rpc) => {
      for (let at = 0; at < 8; at += 1) {
        answers.push(await screened(rpc, record, names[at % 2] ?? ""));
      }
    };
    const lists = async () => {
      for (let at = 1; at < 6; at += 1) {
        const listed = at % 2 === 1 ? lines(always, "Qorvath Zembling") : lines(always);
        await importLines(rpcs[at % 2] as Rpc, listed, String(at));
      }
    };
    const records = ["ben_1", "ben_2", "ben_3"];
    await Promise.all([
      lists(),
      ...records.map((record, at) => owner(record, rpcs[at % 2] as Rpc)),
    ]);
    await settled();
    await eventually(async () =>
      expect(await subjects().countDocuments({ "outbox.at": { $gt: new Date(0) } })).toBe(0),
    );
    for (const record of records) {
      // The owner's knowledge: the latest of all responses and events.
      const received = [
        ...answers
          .filter(({ subject }) => subject?.recordId === record)
          .map(({ createdAt, verdict }) => ({ at: createdAt, verdict })),
        ...eventsOf(record).map(({ screenedAt, verdict }) => ({ at: screenedAt, verdict })),
      ].toSorted((a, b) => time(a.at) - time(b.at));
      expect(new Set(received.map(({ at }) => time(at))).size).toBe(received.length);
      const { verdict, screening_id: last } = await subjectOf(record);
      expect(received.at(-1)?.verdict).toBe(verdictCode[verdict]);
      const now = await rpcs[0].getScreening({ screeningId: last });
      const alone = { merchantId: "mer_1", recordId: "" };
      const { parties = [] } = now.screening ?? {};
      const fresh = await rpcs[0].screenParty({ mutation: mutation(), subject: alone, parties });
      expect(fresh.screening?.verdict).toBe(verdictCode[verdict]);
    }
  });
});

describe("after a crash", () => {
  it("a screening that was taken into force is kept, once, and its alerts are raised", async () => {
    const rpc = await test.start();
    await importLines(rpc, lines("Qorvath Zembling"), "1");
    const first = await screened(rpc, "ben_1", "Qorvath Zembling", "operation-1");
    const recording = await screenings().findOne({ _id: first.id });
    if (recording === null) throw new Error("not kept");
    // The state before the screening and its alerts were written.
    const crash = async () => {
      await screenings().deleteMany({});
      await test.database.db.collection("alerts").deleteMany({});
      const longAgo = new Date(Date.now() - 60_000);
      await subjects().updateOne({}, { $set: { recording, screened_at: longAgo } });
    };
    await test.stopServices();
    await crash();
    const restarted = await test.start();
    const again = await screened(restarted, "ben_1", "Qorvath Zembling", "operation-1");
    expect(again).toEqual(first);
    await test.stopServices();
    await crash();
    await test.start();
    await eventually(async () => expect(await screenings().countDocuments()).toBe(1));
    await settled();
    expect(await test.database.db.collection("alerts").countDocuments()).toBe(1);
    expect(await subjectOf("ben_1")).toMatchObject({ revision: 1 });
  });

  it("events go out that the bus did not take", async () => {
    const rpc = await test.start();
    await importLines(rpc, lines(always), "1");
    await screened(rpc, "ben_1", "Qorvath Zembling");
    test.listen(false);
    await importLines(rpc, lines(always, "Qorvath Zembling"), "2");
    await eventually(async () => expect((await subjectOf("ben_1")).outbox).toHaveLength(1));
    expect(test.events).toEqual([]);
    await test.stopServices();
    test.listen(true);
    await test.start();
    await eventually(() => expect(test.events).toMatchObject([{ verdict: Verdict.BLOCK }]));
    await eventually(async () => expect((await subjectOf("ben_1")).outbox).toEqual([]));
  });

  it("a list is compared that switched while no process ran", async () => {
    const rpc = await test.start();
    await importLines(rpc, lines(always), "1");
    await screened(rpc, "ben_1", "Qorvath Zembling");
    await screened(rpc, "ben_2", "Harlan Mosswick");
    await settled();
    const before = await subjects().find().toArray();
    await importLines(rpc, lines(always, "Qorvath Zembling"), "2");
    await settled();
    const { stamp } = await subjectOf("ben_2");
    await test.stopServices();
    for (const each of before) await subjects().replaceOne({ _id: each._id }, each);
    await test.start();
    await settled();
    expect(await subjectOf("ben_1")).toMatchObject({ verdict: "block", revision: 2, stamp });
    expect(await subjectOf("ben_2")).toMatchObject({ verdict: "clear", revision: 1, stamp });
  });
});

it("is left to a process with a newer configuration of the matcher, which takes monitoring over", async () => {
  const rpc = await test.start();
  await importLines(rpc, lines(always), "1");
  await screened(rpc, "ben_1", "Qorvath Zembling");
  await screened(rpc, "ben_2", "Harlan Mosswick");
  const newer = { configuration_version: "newer", configuration_revision: 1_000, stamp: "newer" };
  await subjects().updateOne({ record_id: "ben_1" }, { $set: newer });
  const before = await subjectOf("ben_1");
  await importLines(rpc, lines(always, "Qorvath Zembling", "Harlan Mosswick"), "2");
  await eventually(() => expect(eventsOf("ben_2")).toMatchObject([{ verdict: Verdict.BLOCK }]));
  const refusal = await refusalOf(screened(rpc, "ben_1", "Qorvath Zembling"));
  expect(refusal).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(await subjectOf("ben_1")).toEqual(before);
  const leases = test.database.db.collection<{ _id: string; until: Date }>("leases");
  await eventually(async () => {
    expect(await leases.findOne({ _id: "monitoring" })).toMatchObject({ until: new Date(0) });
  });
});

describe("everyone is compared whole", () => {
  const keys = ["k1", "k2"].map((id) => `${id}:${randomBytes(32).toString("base64")}`);

  it("once after a rotation of the key, and is found by the new one from then on", async () => {
    const rpc = await test.start({ ENCRYPTION_KEYS: keys[0] });
    await importLines(rpc, lines(always), "1");
    await screened(rpc, "ben_1", "Qorvath Zembling");
    const before = await subjectOf("ben_1");
    await test.stopServices();
    const after = await test.start({ ENCRYPTION_KEYS: keys.toReversed().join(",") });
    await eventually(async () => expect((await subjectOf("ben_1")).keyring).toMatch(/^k2\//));
    const rotated = await subjectOf("ben_1");
    expect(rotated.sealed).toMatch(/^~1\./);
    expect(rotated.keys).toHaveLength(before.keys.length);
    expect(rotated.keys.filter((key) => before.keys.includes(key))).toEqual([]);
    expect(rotated.screening_id).toBe(before.screening_id);
    await importLines(after, lines(always, "Qorvath Zembling"), "2");
    await eventually(() => expect(test.events).toMatchObject([{ verdict: Verdict.BLOCK }]));
  });

  it("after a change of the configuration, and after RESCREEN_DAYS", async () => {
    const rpc = await test.start();
    await importLines(rpc, lines(always), "1");
    await screened(rpc, "ben_1", "Qorvath Zembling");
    await screened(rpc, "ben_2", "Harlan Mosswick");
    await test.stopServices();
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    const old = { compared_at: twoDaysAgo };
    await subjects().updateOne({ record_id: "ben_1" }, { $set: old });
    const otherNumbers = { ...old, configuration_version: "other", stamp: "other" };
    await subjects().updateOne({ record_id: "ben_2" }, { $set: otherNumbers });
    await test.start({ RESCREEN_DAYS: "1" });
    await eventually(async () => {
      for (const { compared_at: at } of await subjects().find().toArray()) {
        expect(at.getTime()).toBeGreaterThan(twoDaysAgo.getTime());
      }
    });
    await settled();
    expect(await screenings().countDocuments()).toBe(2);
  });
});

const verdictCode = { clear: Verdict.CLEAR, review: Verdict.REVIEW, block: Verdict.BLOCK };
type Timestamp = Parameters<typeof timestampDate>[0];
const time = (at: Timestamp | undefined) => (at === undefined ? 0 : timestampDate(at).getTime());
const timesOf = (events: readonly { readonly screenedAt?: Timestamp | undefined }[]) =>
  events.map(({ screenedAt }) => time(screenedAt));
