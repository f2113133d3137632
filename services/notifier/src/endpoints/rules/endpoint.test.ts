import { describe, expect, it } from "vitest";
import { endpointState, isLive } from "./endpoint.ts";

const at = new Date("2026-11-20T00:00:00.000Z");

describe("an endpoint", () => {
  it.each([
    ["active", { verifiedAt: at }],
    ["unverified", {}],
    ["paused", { verifiedAt: at, pausedAt: at }],
    ["paused", { pausedAt: at }],
  ] as const)("is %s with %j, and live only when active", (state, marks) => {
    expect(endpointState(marks)).toBe(state);
    expect(isLive(marks)).toBe(state === "active");
  });
});
