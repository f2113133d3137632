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
  const [a, b, c, d, e] = ["end_a", "end_b", "end_c", "end_d", "end_e"] as const;
  const healths = new Map([
    [a, failedAgo(dayMs)],
    [b, failedAgo(dayMs + 1)],
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
