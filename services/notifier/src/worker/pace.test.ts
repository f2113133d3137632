import { expect, it } from "vitest";
import { createPace } from "./pace.ts";

/** A pace for a thread that is busy for this share of its time. */
function start(share: number) {
  const thread = { share };
  let nowMs = 0;
  const pace = createPace(
    () => nowMs,
    () => thread.share,
  );
  return {
    thread,
    /** Claims what is allowed after so long; answers how many. */
    claimAfter: (ms: number): number => {
      nowMs += ms;
      const count = pace.allowed();
      pace.claimed(count);
      return count;
    },
    /** Claims every 25 ms, as much as is allowed or has waited; answers how many a second. */
    claimFor: (seconds: number, waiting = 1e9): number => {
      let claimed = 0;
      for (const endsAtMs = nowMs + seconds * 1_000; nowMs < endsAtMs; nowMs += 25) {
        const count = Math.min(pace.allowed(), waiting);
        pace.claimed(count);
        claimed += count;
      }
      return claimed / seconds;
    },
  };
}

it("sends 800 a second evenly where the thread has no time left", () => {
  const { claimAfter, claimFor } = start(0.7);
  expect(claimAfter(1_000)).toBe(40);
  expect(claimAfter(25)).toBe(20);
  expect(claimFor(10)).toBeCloseTo(800, -1.5);
});

it("makes up for a round that took long, but for no more than 50 ms", () => {
  const { claimAfter } = start(0.7);
  claimAfter(1_000);
  expect(claimAfter(40)).toBe(32);
  expect(claimAfter(8_000)).toBe(40);
});

it("grows to 4,000 a second while the thread has time, and back when it has not", () => {
  const { thread, claimFor } = start(0.3);
  claimFor(10);
  expect(claimFor(1)).toBeCloseTo(4_000, -2);
  thread.share = 0.55;
  expect(claimFor(1)).toBeCloseTo(4_000, -2);
  thread.share = 0.7;
  claimFor(3);
  expect(claimFor(1)).toBeCloseTo(800, -2);
});

it("begins anew where little has waited for a while", () => {
  const { claimFor } = start(0.3);
  claimFor(10);
  claimFor(3, 1);
  expect(claimFor(0.2)).toBeLessThan(1_100);
});
