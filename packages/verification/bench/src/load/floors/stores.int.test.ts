import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { groupedStore, naiveStore } from "./stores.ts";

const name = freshDatabase("floors");
const commands: string[] = [];
let client: MongoClient;
beforeAll(async () => {
  client = await new MongoClient(mongodbUri(name), { monitorCommands: true }).connect();
  client.on("commandStarted", ({ commandName }) => commands.push(commandName));
});
afterAll(async () => {
  await client.db(name).dropDatabase();
  await client.close();
});

const stores = { naive: naiveStore, grouped: groupedStore };

it.each(["naive", "grouped"] as const)(
  "%s: stores, finds, and updates on a condition",
  async (kind) => {
    const store = stores[kind](client, name);
    await store.insert(kind, [
      { _id: "a", n: 1 },
      { _id: "b", n: 2 },
    ]);
    const add = { $inc: { n: 10 } };
    expect(await store.update(kind, { _id: "a", n: 1 }, add)).toBe(true);
    expect(await store.update(kind, { _id: "a", n: 1 }, add)).toBe(false);
    expect(await store.find(kind, "a")).toEqual({ _id: "a", n: 11 });
    expect(await store.find(kind, "none")).toBeNull();
  },
);

it("sends what is asked during a bulk write as one, each answered for itself", async () => {
  const store = groupedStore(client, name);
  commands.length = 0;
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => store.insert("rows", [{ _id: `r${at}`, n: at }])),
  );
  expect(commands).toEqual(["bulkWrite", "bulkWrite"]);
  const updated = await Promise.all([
    store.update("rows", { _id: "r1", n: 1 }, { $set: { n: 100 } }),
    store.update("rows", { _id: "r2", n: 99 }, { $set: { n: 100 } }),
    store.insert("rows", [{ _id: "x" }, { _id: "y" }]),
    store.update("rows", { _id: "r3", n: 3 }, { $set: { n: 100 } }),
  ]);
  expect(updated).toEqual([true, false, undefined, true]);
});

it("reads the ids of one turn by one query", async () => {
  const store = groupedStore(client, name);
  await store.insert("read", [{ _id: "a" }, { _id: "b" }]);
  commands.length = 0;
  const found = await Promise.all(["b", "a", "none", "a"].map((id) => store.find("read", id)));
  expect(found.map((row) => row?._id)).toEqual(["b", "a", undefined, "a"]);
  expect(commands).toEqual(["find"]);
});

it("fails every write of a bulk that fails, and goes on with the next", async () => {
  const store = groupedStore(client, name);
  await store.insert("keys", [{ _id: "taken" }]);
  await expect(store.insert("keys", [{ _id: "taken" }])).rejects.toThrow();
  await store.insert("keys", [{ _id: "free" }]);
  expect(await store.find("keys", "free")).toEqual({ _id: "free" });
});
