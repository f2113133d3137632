import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { afterOutcome, type Health, healthStart } from "./health.ts";

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

/** An outcome, and how long after the one before it came. */
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
          const outcome = sinceMs > 9_000 ? ok : drawn;
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

it("shows the last success and the last failure", () => {
  expect(after(healthStart, refusal)).toMatchObject({ lastFailure: "503", lastFailedAt: at });
  expect(after(healthStart, timeout).lastFailure).toBe("timeout");
  expect(after(healthStart, timeout, ok)).toMatchObject({
    ...{ lastDeliveredAt: at, lastFailedAt: at, lastFailure: "timeout", consecutiveFailures: 0 },
  });
});

it("keeps what an outcome does not change", () => {
  const [first, second] = [at, new Date(at.getTime() + 1_000)];
  const delivered = afterOutcome(healthStart, ok, first);
  expect(delivered).toEqual({
    ...{ circuit: "closed", concurrency: 9, consecutiveFailures: 0, lastFailure: "" },
    lastDeliveredAt: first,
  });
  expect(afterOutcome(delivered, refusal, second)).toEqual({
    ...{ circuit: "closed", concurrency: 4, consecutiveFailures: 1, lastFailure: "503" },
    ...{ lastDeliveredAt: first, lastFailedAt: second, failingSince: second },
  });
});
