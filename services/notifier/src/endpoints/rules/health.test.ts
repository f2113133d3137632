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

describe("a circuit", () => {
  it.each<[string, readonly Outcome[], Health["circuit"]]>([
    ["stays closed through 9 failures", times(9, timeout), "closed"],
    ["opens with the tenth in a row", times(10, timeout), "open"],
    ["counts from the last success", [...times(9, timeout), ok, ...times(9, timeout)], "closed"],
    ["closes with one success", [...times(30, timeout), ok], "closed"],
    ["opens for what is answered as for what is not", times(10, refusal), "open"],
  ])("%s", (_name, outcomes, circuit) => {
    expect(after(healthStart, ...outcomes).circuit).toBe(circuit);
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
    ...{ lastDeliveredAt: first, lastFailedAt: second },
  });
});
