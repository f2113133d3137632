import { silentLog } from "@disburse/chassis/log.ts";
import { expect, it } from "vitest";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { testNotifierOfFile } from "../../test-notifier.ts";
import { createOwnership } from "./ownership.ts";
import { openShardStore } from "./shard-store.ts";

const { database } = await testNotifierOfFile();
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
