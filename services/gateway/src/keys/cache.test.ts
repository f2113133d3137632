import { createMetrics } from "@disburse/chassis/metrics.ts";
import { expect, it } from "vitest";
import { createRateLimiter } from "../http/rate-limit.ts";
import { openKeyCache } from "./cache.ts";
import { openKeys } from "./store.ts";

/** A cache over keys that count their reads. Ids of existing keys start with "good". */
function cacheOf(burst: number) {
  const time = { nowMs: 1_000 };
  const reads: string[] = [];
  const state = { isAway: false, isFormer: false };
  const findOne = async ({ _id }: { _id: string }) => {
    reads.push(_id);
    if (state.isAway) throw new Error("away");
    if (!_id.startsWith("good")) return null;
    return { _id, digest: { buffer: Buffer.alloc(32) }, scopes: [], source_cidrs: [] };
  };
  const keys = openKeys({ collection: () => ({ findOne }) } as never);
  const cache = openKeyCache(keys, {
    lookups: createRateLimiter({ perSecond: 0.001, burst }),
    metrics: createMetrics("test"),
    watchPrimary: () => async () => {
      if (state.isFormer) throw new Error("former primary");
    },
    monotonicMs: () => time.nowMs,
  });
  const isFound = async (id: string, sender = "203.0.113.7") => {
    const record = await cache.find(id, sender);
    if (record === undefined) return "unknown";
    return "refused" in record ? record.refused : "found";
  };
  return { cache, time, reads, state, isFound };
}

it("reads few of 20,000 forged keys of an address; valid keys stay cached", async () => {
  const { cache, reads, time, isFound } = cacheOf(120);
  const good = Array.from({ length: 5_000 }, (_each, at) => `good${at}`);
  for (const id of good) expect(await isFound(id)).toBe("found");
  const readGood = reads.splice(0).length;
  const forged = Array.from({ length: 20_000 }, (_each, at) => `forged${at}`);
  const results = await Promise.all(forged.map((id) => isFound(id)));
  expect(readGood).toBe(5_000);
  expect(reads.splice(0)).toHaveLength(120);
  expect(results.filter((each) => each === "unknown")).toHaveLength(120);
  expect(results.filter((each) => each === "RATE_LIMITED")).toHaveLength(19_880);
  for (const id of good) expect(await isFound(id)).toBe("found");
  expect(reads).toEqual([]);
  // The address keeps using its known keys, although they must be read again.
  time.nowMs += 5_000;
  expect(await isFound("good1")).toBe("found");
  expect(reads).toEqual(["good1"]);
  expect(cache.remembers("forged0")).toBe(true);
});

it("counts for each sender, and only ids that are no key's", async () => {
  const { reads, isFound } = cacheOf(2);
  expect(await Promise.all(["a", "a", "b"].map((id) => isFound(id)))).toEqual(
    Array(3).fill("unknown"),
  );
  expect(await isFound("c")).toBe("RATE_LIMITED");
  expect(await isFound("good1")).toBe("RATE_LIMITED");
  expect(await isFound("b")).toBe("unknown");
  for (const id of ["good1", "good2", "good3", "c"]) await isFound(id, "203.0.113.8");
  expect(await isFound("c")).toBe("unknown");
  expect(await isFound("good3")).toBe("found");
  expect(reads).toEqual(["a", "b", "good1", "good2", "good3", "c"]);
});

it("looks up an unknown id again after a minute", async () => {
  const { reads, time, isFound } = cacheOf(2);
  await isFound("a");
  time.nowMs += 60_000;
  await isFound("a");
  time.nowMs += 1;
  await isFound("a");
  expect(reads).toEqual(["a", "a"]);
});

it("does not count a failed lookup", async () => {
  const { state, isFound } = cacheOf(1);
  state.isAway = true;
  await expect(isFound("a")).rejects.toThrow("away");
  state.isAway = false;
  expect(await isFound("a")).toBe("unknown");
});

it("takes an id as unknown only if the database proves it", async () => {
  const { state, isFound } = cacheOf(10);
  state.isFormer = true;
  await expect(isFound("forged")).rejects.toThrow("former primary");
  expect(await isFound("good")).toBe("found");
  state.isFormer = false;
  expect(await isFound("forged")).toBe("unknown");
});
