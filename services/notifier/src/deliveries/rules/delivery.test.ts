import { isId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { type Attempt, deliveryIdentity, transitionAfter, transitionBefore } from "./delivery.ts";

const start = new Date("2026-11-20T00:00:00.000Z");
const later = (ms: number): Date => new Date(start.getTime() + ms);
const delivery = { jitter: 1.01, deadline: later(86_400_000) };
const attempt = (number: number, outcome: Outcome, endedAt = start): Attempt => ({
  number,
  startedAt: start,
  endedAt,
  outcome,
});
const answered = (statusCode: number): Outcome => ({ kind: "answered", statusCode, body: "" });

describe("delivery", () => {
  it("has one identity per event, endpoint and replay", () => {
    const key = { merchantId: "mer_1", eventId: "evt_1", endpointId: "whe_1", replay: 0 };
    const identity = deliveryIdentity(key, start);
    expect(isId("delivery", identity.id)).toBe(true);
    expect(deliveryIdentity({ ...key }, start)).toEqual(identity);
    const others = [
      { merchantId: "mer_2" },
      { eventId: "evt_2" },
      { endpointId: "whe_2" },
      { replay: 1 },
    ].map((change) => deliveryIdentity({ ...key, ...change }, start).id);
    expect(new Set([identity.id, ...others]).size).toBe(5);
  });

  it("is delivered by 200 alone", () => {
    expect(transitionAfter(attempt(1, answered(200)), delivery)).toEqual({ state: "delivered" });
  });

  it.each([100, 201, 202, 204, 301, 302, 400, 401, 404, 410, 429, 500, 503])(
    "is tried again after %s",
    (status) => {
      expect(transitionAfter(attempt(1, answered(status)), delivery)).toEqual({
        state: "pending",
        nextAttemptAt: later(5_050),
      });
    },
  );

  it("is retried without a response, and exhausted after the last attempt", () => {
    const failed: Outcome = { kind: "failed", error: "timeout" };
    expect(transitionAfter(attempt(2, failed, later(7)), delivery)).toEqual({
      state: "pending",
      nextAttemptAt: later(10_107),
    });
    expect(transitionAfter(attempt(15, failed), delivery)).toEqual({ state: "exhausted" });
  });

  it.each([
    ["cancelled when its endpoint is gone", false, start, { state: "cancelled" }],
    ["attempted 1 ms before its deadline", true, later(86_399_999), undefined],
    ["exhausted at its deadline", true, later(86_400_000), { state: "exhausted" }],
  ])("is %s", (_name, active, now, transition) => {
    expect(transitionBefore(delivery, active, now)).toEqual(transition);
  });
});
