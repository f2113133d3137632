import { expect, test } from "vitest";
import { naiveCpuRatio, platformCpu } from "./scenario.ts";

const cpu = { gateway: 1_500, engine: 500, broker: null, load: 700, receiver: 100 };

test("adds up the platform's processes, without those that stand for merchants", () => {
  expect(platformCpu(cpu)).toBe(2_000);
});

test.each([
  [{ cpu_us: 300, engine_cpu_us: 500 }, 2.5],
  [{ cpu_us: 300, engine_cpu_us: null }, null],
  [{ cpu_us: null, engine_cpu_us: null }, null],
])("compares the CPU time with the naive program's %j: %j", (naive, ratio) => {
  expect(naiveCpuRatio(cpu, naive)).toBe(ratio);
});
