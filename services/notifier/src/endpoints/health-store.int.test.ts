import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { openHealthStore } from "./health-store.ts";
import type { Health } from "./rules/health.ts";
import { shardOf } from "./rules/shard.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const dayMs = 86_400_000;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => {
  database = await migratedDatabase("health", migrations);
});
afterAll(() => database.close());

const failedAgo = (ms: number, consecutiveFailures = 1): Health => ({
  ...{ circuit: "closed", concurrency: 1, lastFailure: "timeout", consecutiveFailures },
  failingSince: new Date(now.getTime() - ms),
  lastFailedAt: new Date(now.getTime() - ms),
});

it("restores the endpoints of given shards that failed in the last two days, the latest first", async () => {
  const [a, b, c, d, e] = ["end_a", "end_b", "end_c", "end_d", "end_e"] as const;
  const healths = new Map([
    [a, failedAgo(2 * dayMs)],
    [b, failedAgo(2 * dayMs + 1)],
    [c, failedAgo(2_000)],
    [d, failedAgo(1_000)],
    [e, failedAgo(0, 0)],
  ]);
  const store = openHealthStore(database);
  await store.write(healths);
  const shards = [...healths.keys()].map(shardOf);
  const found = await store.troubled(shards, now);
  expect([...found.keys()]).toEqual([d, c, a]);
  const other = shards.filter((shard) => shard !== shardOf(c));
  expect([...(await store.troubled(other, now)).keys()]).not.toContain(c);
});

it("keeps each endpoint's health whole, and an owner's missing times do not overwrite it", async () => {
  const store = openHealthStore(database);
  const documents = database.db.collection<{ _id: string }>("endpoint_health");
  const lastDeliveredAt = new Date(now.getTime() - 5_000);
  const failed = failedAgo(1_000, 3);
  const delivered: Health = {
    ...{ circuit: "open", concurrency: 2, consecutiveFailures: 0, lastFailure: "" },
    ...{ lastDeliveredAt, lastFailedAt: undefined },
  };
  await store.write(new Map());
  await store.write(new Map([["end_x", delivered]]));
  const times = { last_delivered_at: lastDeliveredAt, last_failed_at: null, last_failure: "" };
  expect(await documents.findOne({ _id: "end_x" })).toEqual({
    ...{ _id: "end_x", schema_version: 1, shard: shardOf("end_x") },
    ...{ circuit: "open", concurrency_limit: 2, consecutive_failures: 0, ...times },
    failing_since: null,
    failing_days: 0,
  });
  expect(await store.read(["end_x", "end_none"])).toEqual(new Map([["end_x", delivered]]));
  await store.write(new Map([["end_x", failed]]));
  await store.write(new Map([["end_y", failed]]));
  const both = { ...failed, lastDeliveredAt };
  expect(await store.read(["end_x"])).toEqual(new Map([["end_x", both]]));
  expect(await store.troubled([shardOf("end_x")], now)).toEqual(new Map([["end_x", both]]));
  expect(await documents.findOne({ _id: "end_y" })).toEqual({
    ...{ _id: "end_y", schema_version: 1, shard: shardOf("end_y"), circuit: "closed" },
    ...{ concurrency_limit: 1, consecutive_failures: 3, last_delivered_at: null },
    ...{ last_failed_at: failed.lastFailedAt, last_failure: "timeout" },
    failing_since: failed.failingSince,
    failing_days: 0,
  });
});

it("keeps only a mark of a deleted endpoint, despite its owner's later writes", async () => {
  const store = openHealthStore(database);
  const documents = database.db.collection<{ _id: string }>("endpoint_health");
  const [gone, there] = ["end_gone", "end_there"] as const;
  await store.write(new Map([[there, failedAgo(0)]]));
  await store.forget(gone, now);
  await store.write(
    new Map([
      [gone, failedAgo(0)],
      [there, failedAgo(0, 2)],
    ]),
  );
  const mark = { _id: gone, schema_version: 1, deleted_at: now };
  expect(await documents.findOne({ _id: gone })).toEqual(mark);
  const known = new Map([[there, failedAgo(0, 2)]]);
  expect(await store.read([gone, there])).toEqual(known);
  expect(await store.troubled([gone, there].map(shardOf), now)).toEqual(known);
});
