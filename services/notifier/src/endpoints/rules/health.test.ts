import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import {
  afterOutcome,
  type Health,
  healthStart,
  isFailing,
  isUnresponsive,
  withoutStreak,
} from "./health.ts";

const at = new Date("2026-11-20T00:00:00.000Z");
const ok: Outcome = { kind: "answered", statusCode: 200, body: "" };
const refusal: Outcome = { kind: "answered", statusCode: 503, body: "" };
const timeout: Outcome = { kind: "failed", error: "timeout" };
const after = (health: Health, ...outcomes: readonly Outcome[]): Health =>
  outcomes.reduce((before, outcome) => afterOutcome(before, outcome, at), health);
const times = (count: number, outcome: Outcome) => Array.from({ length: count }, () => outcome);

describe("an endpoint's limit", () => {
  it.each<[string, readonly Outcome[], number]>([
    ["starts at 8", [], 8],
    ["grows by one with a success", [ok], 9],
    ["ends at 32", times(40, ok), 32],
    ["is halved by a failure", [refusal], 4],
    ["is halved by no answer", [timeout], 4],
    ["is never less than 1", times(9, timeout), 1],
    ["comes back one by one", [...times(9, timeout), ok, ok], 3],
  ])("%s", (_name, outcomes, concurrency) => {
    expect(after(healthStart, ...outcomes).concurrency).toBe(concurrency);
  });
});

/** An outcome, and its delay after the previous one. */
type Step = readonly [outcome: Outcome, afterMs: number];

function afterSteps(steps: readonly Step[]): Health {
  let ms = at.getTime();
  return steps.reduce((health, [outcome, afterMs]) => {
    ms += afterMs;
    return afterOutcome(health, outcome, new Date(ms));
  }, healthStart);
}
const every = (ms: number, count: number, outcome: Outcome): Step[] =>
  times(count, outcome).map((each) => [each, ms]);

describe("a circuit", () => {
  it.each<[string, readonly Step[], Health["circuit"]]>([
    ["stays closed through 9 failures", every(5_000, 9, timeout), "closed"],
    ["opens with the tenth in a row", every(5_000, 10, timeout), "open"],
    ["stays closed for 10 s, however often it fails", every(9, 1_000, refusal), "closed"],
    ["opens after 10 s", [...every(1, 30, refusal), ...every(9_971, 1, refusal)], "open"],
    ["stays closed till then", [...every(1, 30, refusal), ...every(9_970, 1, refusal)], "closed"],
    [
      "counts from the last success",
      [...every(5_000, 9, timeout), ...every(5_000, 1, ok), ...every(5_000, 9, timeout)],
      "closed",
    ],
    [
      "counts the 10 s from the last success",
      [...every(1_000, 9, timeout), ...every(5_000, 1, ok), ...every(500, 20, timeout)],
      "closed",
    ],
    ["closes with one success", [...every(5_000, 30, timeout), ...every(1, 1, ok)], "closed"],
    ["opens for what is answered as for what is not", every(5_000, 10, refusal), "open"],
  ])("%s", (_name, steps, circuit) => {
    expect(afterSteps(steps).circuit).toBe(circuit);
  });

  it("never opens while the endpoint acknowledges something every 10 s", () => {
    const step = fc.tuple(fc.constantFrom(refusal, timeout, ok), fc.integer({ min: 0, max: 900 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let sinceMs = 0;
        let health = healthStart;
        let nowMs = at.getTime();
        for (const [drawn, afterMs] of steps) {
          sinceMs += afterMs;
          nowMs += afterMs;
          const outcome: Outcome = sinceMs > 9_000 ? ok : drawn;
          if (outcome === ok) sinceMs = 0;
          health = afterOutcome(health, outcome, new Date(nowMs));
          expect(health.circuit).toBe("closed");
        }
      }),
    );
  });

  it("opens when nothing is acknowledged, and then stays open", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 10, maxLength: 100 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const steps = gapsMs.map((ms, index): Step => [refusal, index === 0 ? 0 : ms]);
        const failsForMs = gapsMs.slice(1).reduce((sum, ms) => sum + ms, 0);
        expect(afterSteps(steps).circuit).toBe(failsForMs >= 10_000 ? "open" : "closed");
      }),
    );
  });
});

const dayMs = 86_400_000;

describe("an endpoint that acknowledges nothing", () => {
  it.each<[string, readonly (readonly [Outcome, number])[], number, boolean]>([
    ["for five days, one failure on each", [0, 1, 2, 3, 4].map((day) => [refusal, day]), 5, true],
    ["for less than five days", [0, 1, 2, 3, 4].map((day) => [refusal, day]), 4.999, false],
    [
      "at no day's end but its beginning",
      [0, 1.9, 2, 3.9, 4].map((day) => [refusal, day]),
      5,
      true,
    ],
    ["on four days of five", [0, 1, 2, 4].map((day) => [refusal, day]), 5, false],
    ["once in five days", [[refusal, 0]], 5, false],
    ["since a day without any", [0, 2, 3, 4, 5, 6].map((day) => [refusal, day]), 6.5, false],
    [
      "for five days after a day without any",
      [0, 2, 3, 4, 5, 6].map((day) => [refusal, day]),
      7,
      true,
    ],
    [
      "since one success",
      [...[0, 1, 2].map((day) => [refusal, day] as const), [ok, 2.5], [refusal, 3], [refusal, 4]],
      5,
      false,
    ],
  ])("is unresponsive %s", (_name, outcomes, days, expected) => {
    const dayOf = (day: number) => new Date(at.getTime() + day * dayMs);
    const health = outcomes.reduce(
      (before, [outcome, day]) => afterOutcome(before, outcome, dayOf(day)),
      healthStart,
    );
    expect(isUnresponsive(health, dayOf(days))).toBe(expected);
  });

  it("is never unresponsive less than five days after a success, nor by fewer than five days", () => {
    const step = fc.tuple(
      fc.oneof({ weight: 9, arbitrary: fc.constant(refusal) }, fc.constant(ok)),
      fc.integer({ min: 0, max: 60 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let [health, hours, since] = [healthStart, 0, 0];
        let failedAt: number[] = [];
        for (const [outcome, afterHours] of steps) {
          hours += afterHours;
          const now = new Date(at.getTime() + hours * 3_600_000);
          health = afterOutcome(health, outcome, now);
          if (outcome === ok) [since, failedAt] = [hours, []];
          else failedAt.push(hours);
          if (!isUnresponsive(health, now)) continue;
          expect(hours - since).toBeGreaterThanOrEqual(5 * 24);
          // Any 48 hours of the last five days contain a failure, unless a day had none.
          const late = failedAt.filter((hour) => hour >= hours - 7 * 24);
          expect(late.length).toBeGreaterThanOrEqual(5);
        }
      }),
    );
  });

  it("restarts its streak when it is resumed", () => {
    const failed = [0, 1, 2, 3, 4].reduce(
      (health, day) => afterOutcome(health, refusal, new Date(at.getTime() + day * dayMs)),
      healthStart,
    );
    const later = new Date(at.getTime() + 9 * dayMs);
    expect(isUnresponsive(failed, later)).toBe(true);
    expect(isUnresponsive(withoutStreak(failed), later)).toBe(false);
    expect(afterOutcome(withoutStreak(failed), refusal, later)).toMatchObject({
      failingSince: later,
      failingDays: 1,
    });
  });
});

it("records the last success and the last failure", () => {
  expect(after(healthStart, refusal)).toMatchObject({ lastFailure: "503", lastFailedAt: at });
  expect(after(healthStart, timeout).lastFailure).toBe("timeout");
  expect(after(healthStart, timeout, ok)).toMatchObject({
    ...{ lastDeliveredAt: at, lastFailedAt: at, lastFailure: "timeout", consecutiveFailures: 0 },
  });
});

it("keeps the fields that an outcome does not change", () => {
  const [first, second] = [at, new Date(at.getTime() + 1_000)];
  const delivered = afterOutcome(healthStart, ok, first);
  expect(delivered).toEqual({
    ...{ circuit: "closed", concurrency: 9, consecutiveFailures: 0, lastFailure: "" },
    lastDeliveredAt: first,
  });
  expect(afterOutcome(delivered, refusal, second)).toEqual({
    ...{ circuit: "closed", concurrency: 4, consecutiveFailures: 1, lastFailure: "503" },
    ...{ lastDeliveredAt: first, lastFailedAt: second, failingSince: second },
    failingDays: 1,
  });
});

describe("an endpoint is failing", () => {
  it.each<[string, readonly Step[], boolean]>([
    ["not before its first attempt", [], false],
    ["not after one failure", [[refusal, 0]], false],
    [
      "not after 9 min 59.999 s",
      [
        [refusal, 0],
        [timeout, 599_999],
      ],
      false,
    ],
    [
      "after 10 minutes of failures",
      [
        [refusal, 0],
        [timeout, 600_000],
      ],
      true,
    ],
    [
      "not if it acknowledged meanwhile",
      [
        [refusal, 0],
        [ok, 300_000],
        [refusal, 300_000],
      ],
      false,
    ],
    [
      "not any more after an acknowledgement",
      [
        [refusal, 0],
        [refusal, 600_000],
        [ok, 1],
      ],
      false,
    ],
  ])("%s", (_name, steps, expected) => {
    expect(isFailing(afterSteps(steps))).toBe(expected);
  });
});
