import { newId } from "@disburse/kernel/id.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shardCount, shardOf } from "../../endpoints/rules/shard.ts";
import { fairShare, type ShardOwners, shardMoves } from "./shards.ts";

const owned = (...parts: [string | null, number][]): ShardOwners =>
  parts.flatMap(([owner, count]) => Array.from({ length: count }, () => owner));

it.each<[string, ShardOwners, string[], number, number]>([
  ["the only process takes all", owned([null, 256]), ["a"], 256, 0],
  ["one that has all keeps all", owned(["a", 256]), ["a"], 0, 0],
  ["half goes when another joins", owned(["a", 256]), ["a", "b"], 0, 128],
  ["what a dead one had is taken", owned(["a", 128], ["x", 128]), ["a"], 128, 0],
  ["the dead one's is shared", owned(["b", 100], ["x", 156]), ["a", "b"], 128, 0],
  ["what another living one has is not touched", owned(["b", 256]), ["a", "b"], 0, 0],
  ["of three the first has one more", owned([null, 256]), ["a", "b", "c"], 86, 0],
  ["one that is not among the living moves nothing", owned(["a", 200], [null, 56]), ["b"], 0, 0],
  ["nor where no process is", owned([null, 256]), [], 0, 0],
])("%s", (_name, owners, members, take, give) => {
  const moves = shardMoves(owners, "a", members);
  expect([moves.take.length, moves.give.length]).toEqual([take, give]);
});

it("gives each shard to one process from any state, and moves none without need", () => {
  const names = ["a", "b", "c", "d", "e"];
  const owner = fc.constantFrom(null, ...names);
  const owners = fc.array(owner, { minLength: shardCount, maxLength: shardCount });
  fc.assert(
    fc.property(owners, fc.subarray(names, { minLength: 1 }), (before, members) => {
      let now = [...before];
      for (const self of [...members, ...members]) {
        const { take, give } = shardMoves(now, self, members);
        now = now.map((was, at) => (take.includes(at) ? self : give.includes(at) ? null : was));
      }
      for (const self of members) {
        expect(now.filter((each) => each === self)).toHaveLength(fairShare(self, members));
      }
    }),
  );
});

it("leaves no shard to a process that is no member", () => {
  expect([fairShare("a", ["b", "c", "d"]), fairShare("a", [])]).toEqual([0, 0]);
});

it("maps an endpoint to the shard in its stored health, in every release", () => {
  const ids = ["whe_01hx0000000000000000000000", "whe_01hx0000000000000000000001", "end_a", ""];
  expect(ids.map(shardOf)).toEqual([85, 202, 197, 217]);
});

it("spreads endpoints evenly", () => {
  const counts = new Map<number, number>();
  for (let at = 0; at < 5_120; at += 1) {
    const shard = shardOf(newId("endpoint", new Date(1_795_000_000_000 + at)));
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  // 20 each on average. An uneven spread would leave some empty.
  expect(counts.size).toBe(shardCount);
  expect(Math.max(...counts.values())).toBeLessThan(50);
});
