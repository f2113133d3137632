import { beforeEach, expect, it, vi } from "vitest";
import { type CacheOptions, createCache } from "./cache.ts";

let now = 0;
let stored: Record<string, string> = {};
const read = vi.fn(async (key: string) => stored[key]);
const countRead = vi.fn();
const cacheOf = (options: Partial<CacheOptions<string>> = {}) =>
  createCache({
    name: "test",
    max: 2,
    freshMs: 100,
    read,
    countRead,
    nowMs: () => now,
    ...options,
  });
beforeEach(() => {
  now = 1_000;
  stored = { a: "1", b: "2", c: "3" };
  read.mockClear();
  countRead.mockClear();
});
const readKeys = () => read.mock.calls.map(([key]) => key);

it("reads a value once while it is fresh, and again after that", async () => {
  const cache = cacheOf();
  expect(await Promise.all([cache.get("a"), cache.get("a")])).toEqual(["1", "1"]);
  stored.a = "changed";
  now += 100;
  expect(await cache.get("a")).toBe("1");
  now += 1;
  expect(await cache.get("a")).toBe("changed");
  expect(readKeys()).toEqual(["a", "a"]);
  expect(countRead.mock.calls.map(([, result]) => result)).toEqual(["miss", "hit", "hit", "miss"]);
});

it("counts freshness from the start of the read", async () => {
  const slow = async (key: string) => {
    const value = await read(key);
    now += 60;
    return value;
  };
  const cache = cacheOf({ read: slow });
  await cache.get("a");
  now += 41;
  await cache.get("a");
  expect(readKeys()).toEqual(["a", "a"]);
});

it("remembers for ever if configured", async () => {
  const cache = cacheOf({ freshMs: Number.POSITIVE_INFINITY });
  await cache.get("a");
  now += 1e12;
  await cache.get("a");
  expect(readKeys()).toEqual(["a"]);
});

it("remembers up to max values and evicts the least recently used", async () => {
  const cache = cacheOf();
  for (const key of ["a", "b", "a", "c", "a", "b"]) await cache.get(key);
  expect(readKeys()).toEqual(["a", "b", "c", "b"]);
});

it("reads an absent value each time", async () => {
  const cache = cacheOf();
  expect(await cache.get("x")).toBeUndefined();
  stored.x = "new";
  expect(await cache.get("x")).toBe("new");
});

it("remembers absent values within their own bounds, which evict no value", async () => {
  const cache = cacheOf({ absent: { max: 1, freshMs: 10 } });
  for (const key of ["a", "x", "x", "y", "x", "a"]) await cache.get(key);
  expect(readKeys()).toEqual(["a", "x", "y", "x"]);
  now += 11;
  await cache.get("x");
  expect(readKeys()).toEqual(["a", "x", "y", "x", "x"]);
});

it("remembers no failure", async () => {
  const cache = cacheOf();
  read.mockRejectedValueOnce(new Error("away"));
  await expect(cache.get("a")).rejects.toThrow("away");
  expect(await cache.get("a")).toBe("1");
});

it("forgets a dropped value, and the result of a running read of it", async () => {
  const cache = cacheOf({ absent: { max: 1, freshMs: 10 } });
  await cache.get("a");
  stored.a = "changed";
  cache.drop("a");
  expect(await cache.get("a")).toBe("changed");
  const before = cache.get("b");
  cache.drop("b");
  stored.b = "changed";
  expect(await before).toBe("2");
  expect(await cache.get("b")).toBe("changed");
  await cache.get("x");
  stored.x = "new";
  cache.drop("x");
  expect(await cache.get("x")).toBe("new");
});

it("remembers which keys had a value, fresh or not, and which reads are unnecessary", async () => {
  const cache = cacheOf({ absent: { max: 1, freshMs: 50 } });
  expect(cache.remembers("a")).toBe(false);
  const reading = cache.get("a");
  expect(cache.remembers("a")).toBe(true);
  await Promise.all([reading, cache.get("none")]);
  now += 50;
  expect([cache.remembers("a"), cache.remembers("none")]).toEqual([true, true]);
  now += 1_000;
  expect([cache.remembers("a"), cache.remembers("none")]).toEqual([true, false]);
  read.mockRejectedValueOnce(new Error("away"));
  await expect(cache.get("a")).rejects.toThrow("away");
  expect(cache.remembers("a")).toBe(true);
  delete stored.a;
  expect(await cache.get("a")).toBeUndefined();
  now += 51;
  expect(cache.remembers("a")).toBe(false);
  await cache.get("b");
  cache.drop("b");
  expect(cache.remembers("b")).toBe(false);
});
