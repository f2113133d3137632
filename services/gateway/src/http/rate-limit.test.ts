import { beforeEach, expect, it, vi } from "vitest";
import { createRateLimiter } from "./rate-limit.ts";

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});

const headers = (remaining: number, reset: number) => ({
  "RateLimit-Limit": "3",
  "RateLimit-Remaining": String(remaining),
  "RateLimit-Reset": String(reset),
});

it("lets a burst through, then the rate, each key for itself", () => {
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 });
  expect(limiter.take("a")).toEqual({ admitted: true, headers: headers(2, 1) });
  expect(limiter.take("a")).toEqual({ admitted: true, headers: headers(1, 1) });
  expect(limiter.take("a")).toEqual({ admitted: true, headers: headers(0, 2) });
  const refusal = { admitted: false, headers: { ...headers(0, 2), "Retry-After": "1" } };
  expect(limiter.take("a")).toEqual(refusal);
  expect(limiter.take("b").admitted).toBe(true);
  nowMs += 499;
  expect(limiter.take("a").admitted).toBe(false);
  nowMs += 1;
  expect(limiter.take("a").admitted).toBe(true);
  expect(limiter.take("a").admitted).toBe(false);
  nowMs += 60_000;
  expect(limiter.take("a").headers).toEqual(headers(2, 1));
});

it("gives back a request that does not count, up to the burst", () => {
  const limiter = createRateLimiter({ perSecond: 1, burst: 1 });
  limiter.giveBack("a");
  expect([limiter.take("a").admitted, limiter.take("a").admitted]).toEqual([true, false]);
  limiter.giveBack("a");
  expect([limiter.take("a").admitted, limiter.take("a").admitted]).toEqual([true, false]);
});

it("gives Retry-After in whole seconds", () => {
  const limiter = createRateLimiter({ perSecond: 0.25, burst: 1 });
  limiter.take("a");
  expect(limiter.take("a").headers["Retry-After"]).toBe("4");
});
