import { expect, it } from "vitest";
import { createPace } from "./pace.ts";

/** A pace for a thread that is busy for this share of its time. */
function start(share: number) {
  const thread = { share };
  const unsavedHealth = { perSecond: 0 };
  let nowMs = 0;
  let fresh = 0;
  const pace = createPace(
    () => nowMs,
    () => thread.share,
  );
  return {
    thread,
    unsavedHealth,
    /** Claims what is allowed after so long; answers how many. */
    claimAfter: (ms: number): number => {
      nowMs += ms;
      const count = pace.allowed(fresh);
      pace.claimed(count);
      return count;
    },
    /** Claims every 25 ms, as much as is allowed or has waited; answers how many a second. */
    claimFor: (seconds: number, waiting = 1e9): number => {
      let claimed = 0;
      for (const endsAtMs = nowMs + seconds * 1_000; nowMs < endsAtMs; nowMs += 25) {
        fresh += unsavedHealth.perSecond / 40;
        const count = Math.min(pace.allowed(fresh), waiting);
        pace.claimed(count);
        claimed += count;
      }
      return claimed / seconds;
    },
  };
}

it("sends 740 a second evenly where the thread has no time left", () => {
  const { claimAfter, claimFor } = start(0.7);
  expect(claimAfter(1_000)).toBe(37);
  expect(claimAfter(25)).toBe(18);
  expect(claimFor(10)).toBeCloseTo(740, -1.5);
});

it("makes up for rounds that were late, a few at a time", () => {
  const { claimAfter } = start(0.7);
  claimAfter(1_000);
  expect(claimAfter(150)).toBe(37);
  const next = [25, 25, 25, 25, 25, 25].map(claimAfter);
  expect(next).toEqual([37, 37, 37, 37, 18, 19]);
  claimAfter(60_000);
  let late = 0;
  while (claimAfter(25) === 37) late += 1;
  expect(late).toBeLessThanOrEqual(40);
});

it("makes up for nothing where little waited", () => {
  const { claimAfter, claimFor } = start(0.7);
  claimAfter(1_000);
  claimFor(1, 1);
  expect(claimAfter(150)).toBe(37);
  expect(claimAfter(25)).toBe(18);
});

it("grows to 4,000 a second while the thread has time, and back when it has not", () => {
  const { thread, claimFor } = start(0.3);
  claimFor(10);
  expect(claimFor(1)).toBeCloseTo(4_000, -2);
  thread.share = 0.55;
  expect(claimFor(1)).toBeCloseTo(4_000, -2);
  thread.share = 0.7;
  claimFor(3);
  expect(claimFor(1)).toBeCloseTo(740, -2);
});

it("does not grow while it would delay many fresh ones, and makes room for them", () => {
  const { unsavedHealth, claimFor } = start(0.3);
  unsavedHealth.perSecond = 20;
  expect(claimFor(10)).toBeCloseTo(740, -1.5);
  unsavedHealth.perSecond = 19;
  claimFor(10);
  expect(claimFor(1)).toBeCloseTo(4_000, -2);
  unsavedHealth.perSecond = 200;
  claimFor(2);
  expect(claimFor(1)).toBeCloseTo(740, -2);
});

it("begins anew where little has waited for a while", () => {
  const { claimFor } = start(0.3);
  claimFor(10);
  claimFor(3, 1);
  expect(claimFor(0.2)).toBeLessThan(1_100);
});
