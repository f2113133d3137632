import { describe, expect, it } from "vitest";
import { delayOf, scenarioOf, scenarios } from "./scenarios.ts";

const keys = Array.from({ length: 2_000 }, (_each, at) => `po_${at}`);

describe("the scenario of a transfer", () => {
  it.each([
    ["sandbox-fail", "fail"],
    ["sandbox-fail-1", "fail"],
    ["sandbox-return", "return"],
    ["sandbox-unknown-x", "unknown"],
    ["sandbox-late-return-1", "late-return"],
    ["sandbox-duplicate", "duplicate"],
    ["sandbox-other", "settle"],
    ["order-sandbox-fail", "settle"],
    ["", "settle"],
  ])("of reference %s is %s", (reference, expected) => {
    expect(scenarioOf(reference, "po_1", { seed: 0, shares: {} })).toBe(expected);
  });

  it("is a share of all by the seed, and by the reference all the same", () => {
    const behaviour = { seed: 7, shares: { lost: 10, duplicate: 25 } };
    const drawn = keys.map((key) => scenarioOf("order", key, behaviour));
    const count = (scenario: string) => drawn.filter((each) => each === scenario).length;
    expect(count("lost")).toBeGreaterThan(140);
    expect(count("lost")).toBeLessThan(260);
    expect(count("duplicate")).toBeGreaterThan(400);
    expect(count("duplicate")).toBeLessThan(600);
    expect(count("settle")).toBe(2_000 - count("lost") - count("duplicate"));
    expect(keys.map((key) => scenarioOf("order", key, behaviour))).toEqual(drawn);
    const other = keys.map((key) => scenarioOf("order", key, { ...behaviour, seed: 8 }));
    expect(other).not.toEqual(drawn);
    expect(scenarioOf("sandbox-fail", "po_1", { seed: 7, shares: { lost: 100 } })).toBe("fail");
  });

  it("is one for all where its share is all", () => {
    const behaviour = { seed: 7, shares: { silent: 100 } };
    const drawn = keys.map((key) => scenarioOf("order", key, behaviour));
    expect(new Set(drawn)).toEqual(new Set(["silent"]));
  });

  it("is found by every name", () => {
    for (const name of scenarios) {
      expect(scenarioOf(`sandbox-${name}-1`, "po_1", { seed: 0, shares: {} })).toBe(name);
    }
  });
});

describe("how long a transfer takes", () => {
  const delays = (delay: "fixed" | "uniform" | "long-tailed", settleMs = 1_000) =>
    keys.map((key) => delayOf(key, { settleMs, delay, seed: 3, shares: {} })).sort((a, b) => a - b);
  const at = (sorted: readonly number[], share: number) => sorted[(share * sorted.length) / 100];

  it("is fixed, or uniform around the same", () => {
    expect(new Set(delays("fixed"))).toEqual(new Set([1_000]));
    const uniform = delays("uniform");
    expect(uniform[0]).toBeLessThan(20);
    expect(uniform.at(-1)).toBeGreaterThan(1_980);
    expect(uniform.at(-1)).toBeLessThanOrEqual(2_000);
    expect(at(uniform, 50)).toBeGreaterThan(900);
    expect(at(uniform, 50)).toBeLessThan(1_100);
    expect(new Set(delays("uniform", 1))).toEqual(new Set([0, 1, 2]));
  });

  it("has a long tail", () => {
    const tailed = delays("long-tailed");
    expect(tailed[0]).toBeGreaterThanOrEqual(500);
    expect(at(tailed, 50)).toBeLessThan(1_100);
    expect(at(tailed, 99)).toBeGreaterThan(16_000);
    expect(tailed.at(-1)).toBeLessThanOrEqual(64_000);
    const short = new Set(delays("long-tailed", 2));
    expect([1, 2, 3, 4].every((ms) => short.has(ms))).toBe(true);
    expect([...short].every(Number.isInteger)).toBe(true);
  });

  it.each(["fixed", "uniform", "long-tailed"] as const)("is nothing of nothing: %s", (shape) => {
    expect(new Set(delays(shape, 0))).toEqual(new Set([0]));
  });
});
