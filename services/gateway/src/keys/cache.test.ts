import { expect, it } from "vitest";
import { createKeyCache } from "./cache.ts";

it("reads a key once in 4 s, again after a failure or a change", async () => {
  let nowMs = 0;
  const loads: string[] = [];
  let answer: () => Promise<undefined> = async () => undefined;
  const cache = createKeyCache(
    (id) => {
      loads.push(id);
      return answer();
    },
    () => nowMs,
  );
  await Promise.all([cache.find("a"), cache.find("a"), cache.find("b")]);
  nowMs = 3_999;
  await cache.find("a");
  expect(loads).toEqual(["a", "b"]);
  nowMs = 4_000;
  await cache.find("a");
  expect(loads).toEqual(["a", "b", "a"]);
  cache.drop("a");
  answer = async () => {
    throw new Error("away");
  };
  await expect(cache.find("a")).rejects.toThrow("away");
  await expect(cache.find("a")).rejects.toThrow("away");
  expect(loads.length).toBe(5);
});
