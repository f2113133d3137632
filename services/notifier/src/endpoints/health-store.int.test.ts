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
  lastFailedAt: new Date(now.getTime() - ms),
});

it("restores the endpoints of given shards that failed in the last day, the latest first", async () => {
  const healths = new Map([
    ["end_a", failedAgo(dayMs)],
    ["end_b", failedAgo(dayMs + 1)],
    ["end_c", failedAgo(1_000)],
    ["end_d", failedAgo(2_000)],
    ["end_e", failedAgo(0, 0)],
  ]);
  const store = openHealthStore(database);
  await store.write(healths);
  const shards = [...healths.keys()].map(shardOf);
  const found = await store.troubled(shards, now);
  expect([...found.keys()]).toEqual(["end_c", "end_d", "end_a"]);
  const latest = await openHealthStore(database, 2).troubled(shards, now);
  expect([...latest.keys()]).toEqual(["end_c", "end_d"]);
  const other = shards.filter((shard) => shard !== shardOf("end_c"));
  expect([...(await store.troubled(other, now)).keys()]).not.toContain("end_c");
});
