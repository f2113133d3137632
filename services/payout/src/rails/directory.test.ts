import { SettingsError } from "@disburse/chassis/settings.ts";
import { afterEach, expect, it, vi } from "vitest";
import { testRail } from "../test-platform.ts";
import { createRailDirectory, isAvailable } from "./directory.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("ends the process for routes that its rails do not cover", () => {
  const open = () =>
    createRailDirectory([testRail({})], [{ currency: "USD", rail: "scripted" }], async () => false);
  expect(open).toThrow(SettingsError);
  expect(open).toThrow("RAIL_ROUTES: route 1: scripted does not declare USD");
});

it("takes a rail that does not say for one that is away", async () => {
  vi.useFakeTimers();
  const silent = isAvailable(testRail({ available: () => new Promise(() => undefined) }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await silent).toBe(false);
});
