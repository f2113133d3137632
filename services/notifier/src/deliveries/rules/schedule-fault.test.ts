import { type Clock, steadyClock } from "@disburse/kernel/time.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { transitionAfter, transitionBefore } from "./delivery.ts";
import { attemptsMax, deadlineOf, firstDelayMs, horizonMs, jitterMax } from "./schedule.ts";

/**
 * Simulates the 24 hours of a delivery with true time, a database whose clock may be set, and
 * processes that restart. Each process has its own monotonic clock and reads the database's time
 * once. No process reads its wall clock.
 */
type World = {
  readonly jitter: number;
  /** Duration of each attempt in ms. */
  readonly durations: readonly number[];
  /** The part of each wait after which another process takes over; `undefined` for no restart. */
  readonly restarts: readonly (number | undefined)[];
  /** Shift of the database's clock in each wait, in ms, before any restart in it. */
  readonly shifts: readonly number[];
};

const bootedMs = Date.parse("2026-11-20T00:00:00.000Z");
const shiftMax = 300_000;
/** The store keeps whole milliseconds. */
const roundingMs = 2;
const failed: Outcome = { kind: "failed", error: "timeout" };

/** True start and end times, in ms, of the attempts of a delivery that is never acknowledged. */
function live({ jitter, durations, restarts, shifts }: World): { start: number; end: number }[] {
  let trueMs = 0;
  let setByMs = 0;
  const startProcess = (): Clock => {
    const born = trueMs;
    return steadyClock(new Date(bootedMs + trueMs + setByMs), () => trueMs - born);
  };
  let clock = startProcess();
  const deadline = deadlineOf(clock.now());
  const attempts: { start: number; end: number }[] = [];
  for (;;) {
    if (transitionBefore({ deadline }, true, clock.now()) !== undefined) return attempts;
    const number = attempts.length + 1;
    const start = trueMs;
    const startedAt = clock.now();
    trueMs += durations[attempts.length] ?? 0;
    attempts.push({ start, end: trueMs });
    const attempt = { number, startedAt, endedAt: clock.now(), outcome: failed };
    const transition = transitionAfter(attempt, { jitter, deadline });
    if (transition.state !== "pending") return attempts;
    const dueMs = transition.nextAttemptAt.getTime();
    setByMs += shifts[number - 1] ?? 0;
    const part = restarts[number - 1];
    if (part !== undefined) {
      trueMs += Math.floor((dueMs - clock.now().getTime()) * part);
      clock = startProcess();
    }
    trueMs += Math.max(0, dueMs - clock.now().getTime());
  }
}

const each = <T>(of: fc.Arbitrary<T>) =>
  fc.array(of, { minLength: attemptsMax, maxLength: attemptsMax });
const never = fc.constant(0);
const jitter = fc.double({ min: 1, max: 1 + jitterMax, noNaN: true });
const durations = each(fc.integer({ min: 0, max: 15_000 }));
const part = fc.double({ min: 0, max: 1, noNaN: true });

const gapsOf = (attempts: readonly { start: number; end: number }[]): number[] =>
  attempts.slice(1).map(({ start }, at) => start - (attempts[at]?.end ?? 0));
const planned = (factor: number): number[] =>
  Array.from({ length: attemptsMax - 1 }, (_none, at) => firstDelayMs * factor * 2 ** at);

describe("the 24 hours of a delivery", () => {
  it("double exactly, regardless of when another process takes over", () => {
    const worlds = fc.record({
      jitter,
      durations,
      restarts: each(fc.option(part)),
      shifts: each(never),
    });
    const runs = worlds.map((world) => ({
      ...world,
      restarts: world.restarts.map((at) => at ?? undefined),
    }));
    fc.assert(
      fc.property(runs, (world) => {
        const attempts = live(world);
        expect(attempts).toHaveLength(attemptsMax);
        expect(attempts.at(-1)?.start).toBeLessThan(horizonMs);
        for (const [at, gap] of gapsOf(attempts).entries()) {
          expect(Math.abs(gap - (planned(world.jitter)[at] ?? 0))).toBeLessThanOrEqual(roundingMs);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("double exactly in a running process while the database's clock is set", () => {
    const shifts = each(fc.integer({ min: -shiftMax, max: shiftMax }));
    const restarts = fc.constant([]);
    fc.assert(
      fc.property(fc.record({ jitter, durations, restarts, shifts }), (world) => {
        const gaps = gapsOf(live(world));
        expect(gaps).toHaveLength(attemptsMax - 1);
        for (const [at, gap] of gaps.entries()) {
          expect(Math.abs(gap - (planned(world.jitter)[at] ?? 0))).toBeLessThanOrEqual(roundingMs);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("have at most one odd wait when the database's clock is set and the process restarts", () => {
    const where = fc.integer({ min: 0, max: attemptsMax - 2 });
    const shift = fc.integer({ min: -shiftMax, max: shiftMax });
    fc.assert(
      fc.property(jitter, durations, where, shift, part, (factor, lasting, at, ms, when) => {
        const restarts = Array.from({ length: at + 1 }, (_none, n) =>
          n === at ? when : undefined,
        );
        const shifts = restarts.map((_restart, n) => (n === at ? ms : 0));
        const attempts = live({ jitter: factor, durations: lasting, restarts, shifts });
        expect(attempts).toHaveLength(attemptsMax);
        expect(attempts.at(-1)?.start).toBeLessThan(horizonMs);
        const strayed = gapsOf(attempts).map((gap, n) => Math.abs(gap - (planned(factor)[n] ?? 0)));
        for (const [n, by] of strayed.entries()) {
          expect(by).toBeLessThanOrEqual(n === at ? Math.abs(ms) + roundingMs : roundingMs);
        }
      }),
      { numRuns: 500 },
    );
  });
});
