import { expect, test } from "vitest";
import { cpuMicroseconds, readCpuTicks } from "./process-usage.ts";

test("reads a stat line, whatever the name contains", () => {
  const rest = "S 12 1 1 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 11 0 99 22000000 7000 184467";
  expect(readCpuTicks(`345 (a (b) c) ${rest}`)).toBe(300);
});

test.runIf(process.platform === "linux")("measures a process that runs", () => {
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(0);
  expect(cpuMicroseconds(2 ** 30)).toBeUndefined();
});
