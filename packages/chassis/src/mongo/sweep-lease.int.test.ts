import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectDatabase, type Database } from "./database.ts";
import { createSweepLease } from "./sweep-lease.ts";

let database: Database;
beforeAll(async () => {
  const name = freshDatabase("lease");
  database = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const hourMs = 3_600_000;
const contenders = (name: string, leaseMs: number) =>
  Array.from({ length: 8 }, () => createSweepLease(database, name, leaseMs));

it("is acquired by one of many at once, and renewed by it alone", async () => {
  const all = contenders("once", hourMs);
  const held = await Promise.all(all.map((each) => each.hold()));
  const holder = held.findIndex((each) => each !== undefined);
  expect(held.filter((each) => each !== undefined)).toEqual([{ epoch: 1 }]);
  const again = await Promise.all(all.map((each) => each.hold()));
  expect(again.map((each) => each !== undefined)).toEqual(all.map((_each, at) => at === holder));
  expect(again[holder]).toEqual({ epoch: 1 });
});

it("passes to another when it expires or is released, with a new epoch", async () => {
  const [first, second, third, fourth] = contenders("passed", hourMs);
  expect(await first?.hold()).toEqual({ epoch: 1 });
  expect(await second?.hold()).toBeUndefined();
  const leases = database.db.collection<{ _id: string; until: Date }>("leases");
  await leases.updateOne({ _id: "passed" }, { $set: { until: new Date(Date.now() - 1) } });
  expect(await second?.hold()).toEqual({ epoch: 2 });
  await second?.release();
  expect(await third?.hold()).toEqual({ epoch: 3 });
  // A release doesn't touch another owner's lease.
  await second?.release();
  expect(await fourth?.hold()).toBeUndefined();
});

it("is one document that is written every half lease, and expires when it is released", async () => {
  let nowMs = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const leases = database.db.collection<{ _id: string; until: Date }>("leases");
  const stored = () => leases.findOne({ _id: "whole" });
  const lease = createSweepLease(database, "whole", hourMs);
  expect(await lease.hold()).toEqual({ epoch: 1 });
  const held = { _id: "whole", schema_version: 1, owner: expect.any(String), epoch: 1 };
  expect(await stored()).toEqual({ ...held, until: expect.any(Date) });
  const until = new Date(Date.now() + 2 * hourMs);
  await leases.updateOne({ _id: "whole" }, { $set: { until } });
  nowMs += hourMs / 2 - 1;
  expect(await lease.hold()).toEqual({ epoch: 1 });
  expect(await stored()).toEqual({ ...held, until });
  nowMs += 1;
  expect(await lease.hold()).toEqual({ epoch: 1 });
  expect((await stored())?.until.getTime()).toBeLessThan(until.getTime());
  await lease.release();
  expect(await stored()).toEqual({ ...held, until: new Date(0) });
  expect(await lease.hold()).toEqual({ epoch: 1 });
  expect((await stored())?.until.getTime()).toBeGreaterThan(0);
});
