import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { findKept, insertWithin } from "./bound.ts";
import { connectDatabase } from "./database.ts";

type Item = { _id: string; owner: string };

const name = freshDatabase("bound");
let connected: Awaited<ReturnType<typeof connectDatabase>>;
let owner: string;
beforeAll(async () => {
  connected = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await connected.db.dropDatabase();
  await connected.close();
});
beforeEach(() => {
  owner = crypto.randomUUID();
});

const items = () => connected.db.collection<Item>("items");
const insert = (_id: string = crypto.randomUUID()) =>
  insertWithin(items(), { _id, owner }, { of: { owner }, max: 5 });

it("inserts up to the bound of one owner", async () => {
  for (let at = 0; at < 5; at += 1) expect(await insert()).toBe("inserted");
  expect(await insert()).toBe("full");
  expect(await items().countDocuments({ owner })).toBe(5);
  owner = crypto.randomUUID();
  expect(await insert("same")).toBe("inserted");
  expect(await insert("same")).toBe("exists");
});

it("keeps a document that a repeat was answered with", async () => {
  for (let at = 0; at < 4; at += 1) await insert();
  const collection = Object.create(items()) as ReturnType<typeof items>;
  let counts = 0;
  const answered: unknown[] = [];
  collection.countDocuments = async (...of) => {
    counts += 1;
    if (counts === 2) {
      // Another insert exceeds the bound meanwhile, and a repeat of this one arrives.
      await items().insertOne({ _id: crypto.randomUUID(), owner });
      answered.push(await findKept(items(), { _id: "mine" }));
    }
    return items().countDocuments(...of);
  };
  const bound = { of: { owner }, max: 5 };
  expect(await insertWithin(collection, { _id: "mine", owner }, bound)).toBe("inserted");
  expect(answered).toEqual([{ _id: "mine", owner }]);
  expect(await findKept(items(), { _id: "mine" })).toEqual({ _id: "mine", owner });
});

it("leaves no more than the bound, however many insert at once", async () => {
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => insert()));
  const stored = await items().countDocuments({ owner });
  expect(stored).toBeLessThanOrEqual(5);
  expect(outcomes.filter((each) => each === "inserted")).toHaveLength(stored);
  expect(outcomes).toContain("full");
});
