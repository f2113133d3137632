import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectDatabase, type Database } from "../mongo/database.ts";
import { createIndexes } from "../mongo/migrations.ts";
import { type AuditStore, openAuditStore } from "./store.ts";
import type { AuditRecord } from "./trail.ts";

let first: Database;
let second: Database;
let stores: AuditStore<string>[];
const stored = () => first.db.collection<{ _id: number; subject: string }>("audit_entries");

beforeAll(async () => {
  const name = freshDatabase("audit");
  first = await connectDatabase(mongodbUri(name), name);
  second = await connectDatabase(mongodbUri(name), name);
  await createIndexes(first.db, { audit_entries: [{ key: { key: 1 }, unique: true }] });
  stores = [first, second].map((each) => openAuditStore<string>(each));
});
afterAll(async () => {
  await first?.db.dropDatabase();
  await Promise.all([first?.close(), second?.close()]);
});

const record = (at: number): AuditRecord => ({
  ...{ at: new Date(1_000 + at), person: "ada", action: "done", subject: `s${at % 7}` },
  ...{ operation: `op-${at}`, detail: "" },
});

it("has no gap, and each action once, under concurrent writes of two processes", async () => {
  const records = Array.from({ length: 150 }, (_each, at) => record(at));
  const appended = await Promise.all(
    [...records, ...records].map((each, at) => stores[at % 2]?.append(each)),
  );
  const count = await stored().countDocuments();
  expect(count).toBe(records.length);
  const numbers = appended.map((each) => each?.sequence);
  expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 150 }, (_each, at) => at + 1)));
  expect(appended.slice(150).map((each) => each?.hash)).toEqual(
    appended.slice(0, 150).map((each) => each?.hash),
  );
  expect(await stores[0]?.list(undefined, undefined, 200)).toHaveLength(150);
  expect(await stores[0]?.has(record(3))).toBe(true);
  expect(await stores[0]?.has(record(999))).toBe(false);
});

it("appends at most one of concurrent decisions that follow the same entry", async () => {
  const name = freshDatabase("audit_after");
  const one = await connectDatabase(mongodbUri(name), name);
  const databases = [one, await connectDatabase(mongodbUri(name), name)];
  try {
    await createIndexes(one.db, { audit_entries: [{ key: { key: 1 }, unique: true }] });
    const trails = databases.map((each) => openAuditStore<string>(each));
    const decision = (at: number, subject: string) => ({ ...record(at), subject });
    const first = await trails[0]?.append(decision(0, "s1"));
    const appended = await Promise.all(
      Array.from({ length: 40 }, (_each, at) =>
        trails[at % 2]?.appendAfter(first?.sequence ?? 0, decision(at + 1, `s${at % 2}`)),
      ),
    );
    const own = appended.filter((each) => each?.isOther === false);
    expect(own.map((each) => each?.entry.subject).toSorted()).toEqual(["s0", "s1"]);
    for (const each of appended) {
      const winner = own.find((other) => other?.entry.subject === each?.entry.subject);
      expect(each?.entry.hash).toBe(winner?.entry.hash);
    }
    expect(await one.db.collection("audit_entries").countDocuments()).toBe(3);
    const winner = own[0]?.entry;
    const again = winner && (await trails[1]?.appendAfter(0, winner));
    expect(again).toMatchObject({ isOther: false, entry: { hash: winner?.hash } });
  } finally {
    await one.db.dropDatabase();
    await Promise.all(databases.map((each) => each.close()));
  }
});

it("can be read from any entry on, and reports a missing one", async () => {
  const [store] = stores;
  const pages = await Promise.all([0, 60, 120, 150].map((after) => store?.after(after, 60)));
  expect(pages.map((page) => page?.map(({ sequence }) => sequence).at(-1))).toEqual([
    ...[60, 120, 150, undefined],
  ]);
  expect((await store?.head())?.sequence).toBe(150);
  const gone = await stored().findOneAndDelete({ _id: 90 });
  await expect(store?.after(60, 60)).rejects.toThrow(
    "audit entry 91 does not follow the previous entry",
  );
  await expect(store?.after(90, 10)).rejects.toThrow("audit entry 90 is missing");
  if (gone !== null) await stored().insertOne({ ...gone, subject: "other" });
  await expect(store?.after(90, 10)).rejects.toThrow("audit entry 90 was changed");
});
