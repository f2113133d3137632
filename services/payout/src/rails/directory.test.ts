import { SettingsError } from "@disburse/chassis/settings.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { testRail } from "../test-platform.ts";
import { createRailDirectory, isAvailable } from "./directory.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("ends the process for routes that its rails do not cover", () => {
  const open = () =>
    createRailDirectory([testRail({})], [{ currency: "USD", rail: "scripted" }], async () => false);
  expect(open).toThrow(SettingsError);
  expect(open).toThrow("RAIL_ROUTES: route 1: the rail scripted does not support USD");
});

describe("a rail", () => {
  const capabilities = {
    ...{ currencies: ["USD"], transferMethods: ["ACH"], networks: [], limits: {} },
  };
  const transfer = { currency: "USD", amount: 1n, transferMethod: "ACH", network: "" };
  const no = async () => false;

  it.each([
    ["runs", {}, false, undefined],
    ["is paused", {}, true, "PAUSED"],
    ["is paused and away", { available: no }, true, "PAUSED"],
    ["is away", { available: no }, false, "DOWN"],
    ["fails", { available: () => Promise.reject(new Error("cut")) }, false, "DOWN"],
  ])("that %s is chosen, or why not", async (_what, own, isPaused, waits) => {
    const rail = testRail({ capabilities, ...own });
    const routes = [{ rail: "scripted" }];
    const paused = async (name: string) => isPaused && name === "scripted";
    const directory = createRailDirectory([rail], routes, paused);
    expect(directory.all).toEqual([rail]);
    expect(await directory.unavailability(rail)).toBe(waits);
    expect(await directory.choose(transfer)).toBe(waits ?? rail);
    expect(await directory.choose({ ...transfer, currency: "INR" })).toBe("NOT_CAPABLE");
  });

  it("that no route names is found by its name, and not chosen", async () => {
    const rail = testRail({ capabilities });
    const directory = createRailDirectory([rail], [], no);
    expect(directory.named("scripted")).toBe(rail);
    expect(directory.named("other")).toBeUndefined();
    expect(await directory.choose(transfer)).toBe("NO_ROUTE");
  });
});

it("treats a rail that does not respond as unavailable", async () => {
  vi.useFakeTimers();
  const silent = isAvailable(testRail({ available: () => new Promise(() => undefined) }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await silent).toBe(false);
});
