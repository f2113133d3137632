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
  const [first, second] = contenders("passed", 50);
  expect(await first?.hold()).toEqual({ epoch: 1 });
  expect(await second?.hold()).toBeUndefined();
  await vi.waitFor(async () => expect(await second?.hold()).toEqual({ epoch: 2 }));
  await second?.release();
  expect(await first?.hold()).toEqual({ epoch: 3 });
  await second?.release();
  const third = createSweepLease(database, "passed", hourMs);
  expect(await Promise.all([first?.hold(), third.hold()])).toEqual([{ epoch: 3 }, undefined]);
});
