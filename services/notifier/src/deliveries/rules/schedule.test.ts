import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attemptsMax,
  deadlineOf,
  delayMs,
  horizonMs,
  jitterFactor,
  jitterMax,
  nextAttemptAt,
} from "./schedule.ts";

const start = new Date("2026-11-20T00:00:00.000Z");
const deadline = deadlineOf(start);
const later = (ms: number): Date => new Date(start.getTime() + ms);

/** Start times of all attempts of a delivery that is never acknowledged, in ms after the first. */
function starts(jitter: number, durationMs: (attempt: number) => number): number[] {
  const startedMs: number[] = [];
  let next: Date | undefined = start;
  while (next !== undefined) {
    startedMs.push(next.getTime() - start.getTime());
    const endedAt: Date = new Date(next.getTime() + durationMs(startedMs.length));
    next = nextAttemptAt({ attempts: startedMs.length, endedAt, jitter, deadline });
  }
  return startedMs;
}

const jitters = fc.integer({ min: 0, max: 0xffff_ffff }).map((word) => {
  const hash = new Uint8Array(8);
  new DataView(hash.buffer).setUint32(0, word);
  return jitterFactor(hash);
});

describe("schedule", () => {
  it("waits 5 s, then twice as long each time, 15 attempts in all", () => {
    const gaps = starts(1, () => 0).map((at, index, all) => (at - (all[index - 1] ?? 0)) / 1_000);
    expect(gaps).toEqual([
      0, 5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960,
    ]);
  });

  it.each([
    ["the last attempt", attemptsMax, start, undefined],
    ["one before the last", attemptsMax - 1, start, later(40_960_000)],
    ["a start 1 ms before the deadline", 1, later(horizonMs - 5_001), later(horizonMs - 1)],
    ["a start at the deadline", 1, later(horizonMs - 5_000), undefined],
  ])("after %s", (_name, attempts, endedAt, expected) => {
    expect(nextAttemptAt({ attempts, endedAt, jitter: 1, deadline })).toEqual(expected);
  });

  it.each([
    [[0, 0, 0, 0], 1],
    [[255, 255, 255, 255], 1 + jitterMax],
  ])("takes the factor from the hash %j", (bytes, factor) => {
    expect(jitterFactor(Uint8Array.from(bytes))).toBe(factor);
  });

  it("doubles exactly within a delivery, strays at most 2% and always makes 15 attempts", () => {
    const durations = fc.array(fc.integer({ min: 0, max: 15_000 }), {
      minLength: attemptsMax,
      maxLength: attemptsMax,
    });
    fc.assert(
      fc.property(jitters, durations, (jitter, duration) => {
        for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
          const plain = 5_000 * 2 ** (attempt - 1);
          expect(delayMs(attempt, jitter)).toBe(delayMs(1, jitter) * 2 ** (attempt - 1));
          expect(delayMs(attempt, jitter)).toBeGreaterThanOrEqual(plain);
          expect(delayMs(attempt, jitter)).toBeLessThanOrEqual(plain * (1 + jitterMax));
        }
        const startedMs = starts(jitter, (attempt) => duration[attempt - 1] ?? 0);
        expect(startedMs).toHaveLength(attemptsMax);
        expect(startedMs.at(-1)).toBeLessThan(horizonMs);
      }),
    );
  });
});
