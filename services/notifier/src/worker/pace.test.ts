import { expect, it } from "vitest";
import { createPace } from "./pace.ts";

/** Claims every 25 ms, as much as is allowed or has waited; answers how many a second. */
function claim(
  pace: ReturnType<typeof createPace>,
  fromMs: number,
  seconds: number,
  waiting = 1e9,
) {
  let claimed = 0;
  for (let at = fromMs; at < fromMs + seconds * 1_000; at += 25) {
    const count = Math.min(pace.allowed(at), waiting);
    pace.claimed(count);
    claimed += count;
  }
  return claimed / seconds;
}

it("sends 800 a second evenly where the thread has no time left", () => {
  const pace = createPace(() => 0.7);
  expect(pace.allowed(1_000)).toBe(40);
  pace.claimed(40);
  expect(pace.allowed(1_025)).toBe(20);
  expect(claim(pace, 1_025, 10)).toBeCloseTo(800, -1);
});

it("makes up for a round that took long, but for no more than 50 ms", () => {
  const pace = createPace(() => 0.7);
  pace.claimed(pace.allowed(1_000));
  expect(pace.allowed(1_040)).toBe(32);
  pace.claimed(32);
  expect(pace.allowed(9_000)).toBe(40);
});

it("grows to 4,000 a second while the thread has time, and back when it has not", () => {
  let share = 0.3;
  const pace = createPace(() => share);
  claim(pace, 0, 10);
  expect(claim(pace, 10_000, 1)).toBeCloseTo(4_000, -2);
  share = 0.55;
  expect(claim(pace, 11_000, 1)).toBeCloseTo(4_000, -2);
  share = 0.7;
  claim(pace, 12_000, 3);
  expect(claim(pace, 15_000, 1)).toBeCloseTo(800, -1);
});

it("begins anew where little has waited for a while", () => {
  const pace = createPace(() => 0.3);
  claim(pace, 0, 10);
  claim(pace, 10_000, 3, 1);
  expect(claim(pace, 13_000, 0.2)).toBeLessThan(1_000);
});
