import { silentLog } from "@disburse/chassis/log.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { shardCount } from "../../endpoints/rules/shard.ts";
import { createOwnership } from "./ownership.ts";
import type { ShardStore, Shards } from "./shard-store.ts";

let beats: Map<string, number>;
let shards: Shards;
let nowMs: number;

beforeEach(() => {
  vi.useFakeTimers();
  beats = new Map();
  shards = { epoch: 0, owners: Array.from({ length: shardCount }, () => null) };
  nowMs = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

/** An in-memory store with one place. `onJoin` runs while a process joins. */
function begin(onJoin = (): void => undefined) {
  const store: ShardStore = {
    join: async (token) => {
      onJoin();
      beats.set(token, 0);
    },
    heartbeat: async (token) => {
      const before = beats.get(token);
      if (before !== undefined) beats.set(token, before + 1);
      return before !== undefined;
    },
    members: async () =>
      [...beats].map(([token, heartbeat]) => ({ token, place: "here", heartbeat })),
    evict: async () => false,
    leave: async (token) => ({ acknowledged: true, deletedCount: Number(beats.delete(token)) }),
    read: async () => shards,
    write: async ({ epoch }, owners) => {
      shards = { epoch: epoch + 1, owners };
      return true;
    },
  };
  return createOwnership({
    ...{ store, place: "here", elapsed: () => nowMs, isBusy: () => false, log: silentLog },
    onJoin: async () => undefined,
    onTake: async () => undefined,
  });
}

it("sends heartbeats until attempts have ended, starts no more, and leaves in any case", async () => {
  const ownership = begin();
  await ownership.round();
  expect(ownership.owns("we_1")).toBe(true);
  const drained = Promise.withResolvers<void>();
  const left = expect(ownership.leave(drained.promise)).rejects.toThrow("not settled");
  await vi.advanceTimersByTimeAsync(14_000);
  expect(ownership.owns("we_1")).toBe(false);
  expect([...beats.values()]).toEqual([3]);
  drained.reject(new Error("not settled"));
  await left;
  expect(beats.size).toBe(0);
});

it("owns nothing as soon as it has another token", async () => {
  const seen: boolean[] = [];
  const ownership = begin(() => void seen.push(ownership.owns("we_1")));
  await ownership.round();
  expect(ownership.owns("we_1")).toBe(true);
  beats.clear();
  nowMs += 5_000;
  await ownership.round();
  expect(seen).toEqual([false, false]);
});

it("owns nothing once it sees its eviction, and joins again at once", async () => {
  const ownership = begin();
  await ownership.round();
  beats.set("other", 0);
  nowMs += 5_000;
  await ownership.round();
  beats.delete(ownership.token());
  nowMs += 1_000;
  await ownership.round();
  expect(ownership.owns("we_1")).toBe(false);
  await ownership.round();
  expect([...beats.keys()]).toContain(ownership.token());
});
