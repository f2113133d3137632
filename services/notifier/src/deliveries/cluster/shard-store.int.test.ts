import { silentLog } from "@disburse/chassis/log.ts";
import { expect, it } from "vitest";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { testNotifierOfFile } from "../../test-notifier.ts";
import { createOwnership } from "./ownership.ts";
import { openShardStore } from "./shard-store.ts";

const { database } = await testNotifierOfFile();
const { db } = database;
const store = openShardStore(database);

const ownedBy = (token: string) => Array.from({ length: shardCount }, () => token);

it("two processes that write at the same epoch: one has the shards, the other is refused", async () => {
  const seen = await store.read();
  const tokens = ["first", "second"];
  const written = await Promise.all(tokens.map((token) => store.write(seen, ownedBy(token))));
  expect(written.toSorted()).toEqual([false, true]);
  const winner = tokens[written.indexOf(true)]!;
  expect(await store.read()).toEqual({ epoch: seen.epoch + 1, owners: ownedBy(winner) });
});

it("a process that stalls between its read and its write owns no shard of another", async () => {
  const seen = await store.read();
  await store.write(seen, ownedBy("gone"));
  const process = (place: string, onTake: () => Promise<void> = async () => undefined) =>
    createOwnership({
      ...{ store, place, elapsed: () => 0, isBusy: () => false, log: silentLog },
      onJoin: async () => undefined,
      onTake,
    });
  const other = process("here:2");
  const stalled = process("here:1", other.round);
  await stalled.round();
  expect([stalled.shardsOwned(), other.shardsOwned()]).toEqual([0, shardCount / 2]);
  const { owners } = await store.read();
  expect(owners.filter((owner) => owner === other.token())).toHaveLength(shardCount / 2);
  expect(owners).not.toContain(stalled.token());
});

it("shards have no owner at first, and are one document of that name", async () => {
  const stored = () => db.collection<{ _id: string }>("shards").find().sort({ _id: 1 }).toArray();
  const other = { _id: "a", epoch: 0, owners: ownedBy("b") };
  await db.collection("shards").deleteMany({});
  await db.collection<{ _id: string }>("shards").insertOne(other);
  const none = Array.from({ length: shardCount }, () => null);
  const document = { _id: "all", schema_version: 1, epoch: 0, owners: none };
  for (const _read of [1, 2]) {
    expect(await store.read()).toEqual({ epoch: 0, owners: none });
    expect(await stored()).toEqual([other, document]);
  }
  expect(await store.write({ epoch: 0, owners: none }, ownedBy("a"))).toBe(true);
  const written = { ...document, epoch: 1, owners: ownedBy("a") };
  expect(await stored()).toEqual([other, written]);
  await db.collection<{ _id: string }>("shards").deleteOne({ _id: "a" });
});

it("a process is a member until it leaves, or is evicted without a heartbeat since", async () => {
  const workers = db.collection("workers");
  await workers.deleteMany({});
  const stored = () => workers.find().sort({ _id: 1 }).toArray();
  const worker = (_id: string, beat: number) => ({
    ...{ _id, schema_version: 1, place: `${_id}:8080`, beat },
  });
  await store.join("a", "a:8080");
  await store.join("b", "b:8080");
  // The response of the first call was lost.
  await store.join("b", "b:8080");
  expect(await stored()).toEqual([worker("a", 0), worker("b", 0)]);
  expect(await store.heartbeat("b")).toBe(true);
  expect(await stored()).toEqual([worker("a", 0), worker("b", 1)]);
  expect(await store.members()).toEqual([
    { token: "a", place: "a:8080", heartbeat: 0 },
    { token: "b", place: "b:8080", heartbeat: 1 },
  ]);
  expect(await store.evict({ token: "b", heartbeat: 0 })).toBe(false);
  expect(await store.evict({ token: "gone", heartbeat: 0 })).toBe(false);
  await store.leave("gone");
  expect(await stored()).toEqual([worker("a", 0), worker("b", 1)]);
  expect(await store.evict({ token: "b", heartbeat: 1 })).toBe(true);
  expect(await store.heartbeat("b")).toBe(false);
  expect(await stored()).toEqual([worker("a", 0)]);
  await store.leave("a");
  expect(await store.members()).toEqual([]);
});
