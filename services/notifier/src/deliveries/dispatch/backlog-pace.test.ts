import fc from "fast-check";
import { expect, it } from "vitest";
import { createBacklogPace } from "./backlog-pace.ts";

const bounds = { least: 16, most: 128 };

/** Generates uniform numbers from 0 to 1 from a seed (Numerical Recipes' generator). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Simulates a machine on which fresh deliveries wait `delayMs`, given the backlog in flight. */
function start(delayMs: (inFlight: number) => number | undefined) {
  let nowMs = 0;
  let inFlight = 0;
  const pace = createBacklogPace(bounds, () => nowMs);
  const run = (seconds: number, waiting: number): number => {
    for (const endsAtMs = nowMs + seconds * 1_000; nowMs < endsAtMs; nowMs += 25) {
      // Deliveries in flight have ended since the previous round.
      const allowed = pace.allowed(0);
      inFlight = Math.min(allowed, waiting);
      if (waiting > 0) pace.claimed(inFlight);
      const ms = delayMs(inFlight);
      if (ms !== undefined) pace.freshStarted(ms);
    }
    return inFlight;
  };
  return {
    /** Runs an endless backlog, or only fresh deliveries. Returns the deliveries in flight. */
    backlog: (seconds: number) => run(seconds, 1_000),
    backlogOf: (seconds: number, waiting: number) => run(seconds, waiting),
    freshOnly: (seconds: number) => run(seconds, 0),
    allowed: () => pace.allowed(0),
  };
}

it("starts with the guaranteed share, and grows to the maximum if it delays nothing", () => {
  const { allowed, backlog } = start(() => 10);
  expect(allowed()).toBe(16);
  expect(backlog(1)).toBeLessThan(64);
  expect(backlog(4)).toBe(128);
});

it("grows also without fresh deliveries", () => {
  expect(start(() => undefined).backlog(5)).toBe(128);
});

it.each([
  ["a fast machine", 4, 100],
  ["a slow machine", 40, 60],
  ["a machine that is busy with fresh deliveries alone", 400, 30],
])("settles where %s begins to delay fresh deliveries", (_what, idleMs, capacity) => {
  const delayMs = (inFlight: number) =>
    idleMs * (1 + (4 * Math.max(0, inFlight - capacity)) / capacity) +
    (inFlight > capacity ? 10 : 0);
  const { freshOnly, backlog } = start(delayMs);
  freshOnly(10);
  backlog(5);
  for (let second = 0; second < 20; second += 1) {
    const inFlight = backlog(1);
    expect(inFlight).toBeGreaterThanOrEqual(16);
    expect(inFlight).toBeLessThanOrEqual(capacity + 16);
  }
  const mean = Array.from({ length: 40 }, () => backlog(0.5)).reduce((a, b) => a + b) / 40;
  expect(mean).toBeGreaterThan(capacity * 0.6);
});

it("gives way within a second when fresh deliveries begin to wait", () => {
  let delay = 10;
  const { backlog } = start(() => delay);
  expect(backlog(5)).toBe(128);
  delay = 100;
  expect(backlog(1)).toBeLessThan(64);
  expect(backlog(2)).toBe(16);
});

it("adapts the baseline of a slower machine to the delay at the guaranteed share", () => {
  let delay = 10;
  const { backlog } = start(() => delay);
  backlog(5);
  delay = 100;
  expect(backlog(3)).toBe(16);
  expect(backlog(15)).toBe(16);
  expect(backlog(60)).toBe(128);
});

it.each([5, 25, 200])("does not take an outlier as the baseline of delays of %i ms", (ms) => {
  // The mean of one run may be low by chance; that of all runs is not.
  const means = Array.from({ length: 30 }, (_, seed) => {
    const random = uniform(seed + 1);
    // Queue delays scatter by as much as their mean. The backlog causes none of these.
    const { backlog } = start(() => -ms * Math.log(1 - random()));
    backlog(10);
    return Array.from({ length: 100 }, () => backlog(0.5)).reduce((a, b) => a + b) / 100;
  });
  expect(means.reduce((a, b) => a + b) / means.length).toBeGreaterThan(60);
});

it("does not take congestion with another cause as the baseline", () => {
  let delay = 100;
  const { backlog } = start(() => {
    // An overloaded machine: its delay grows each second.
    delay *= 1.02;
    return delay;
  });
  for (let second = 0; second < 60; second += 1) expect(backlog(1)).toBeLessThanOrEqual(48);
});

it("is not slowed by one late start among few", () => {
  let at = 0;
  const { backlog } = start(() => {
    at += 1;
    return at % 40 === 0 ? (at === 200 ? 500 : 10) : undefined;
  });
  expect(backlog(4.9)).toBe(128);
  expect(backlog(0.6)).toBe(128);
});

it("starts again after a while with a small backlog", () => {
  const { allowed, backlog, backlogOf } = start(() => 10);
  backlog(5);
  backlogOf(3, 2);
  expect(allowed()).toBeLessThan(24);
});

it("stays between the guaranteed share and the maximum", () => {
  const delays = fc.array(fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }));
  fc.assert(
    fc.property(delays, fc.array(fc.nat(200)), (freshMs, inFlights) => {
      let nowMs = 0;
      const pace = createBacklogPace(bounds, () => nowMs);
      for (const [at, ms] of freshMs.entries()) {
        nowMs += 100;
        if (ms !== undefined) pace.freshStarted(ms);
        const inFlight = inFlights[at] ?? 0;
        const allowed = pace.allowed(inFlight);
        expect(allowed + inFlight).toBeGreaterThanOrEqual(bounds.least);
        expect(allowed).toBeLessThanOrEqual(Math.max(0, bounds.most - inFlight));
        pace.claimed(allowed);
      }
    }),
  );
});
