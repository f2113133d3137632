import { expect, test } from "vitest";
import { canMeasureProcesses, cpuMicroseconds, readStat, residentTree } from "./process-usage.ts";

test("reads a stat line, whatever the name holds", () => {
  const rest =
    "S 12 1 1 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 11 0 99 22000000 7000 18446744073709551615";
  expect(readStat(`345 (a (b) c) ${rest}`)).toEqual({
    parentPid: 12,
    name: "a (b) c",
    cpuTicks: 300,
    residentPages: 7_000,
  });
});

test.runIf(canMeasureProcesses)("measures this process", () => {
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(0);
  const [own] = residentTree(process.pid);
  const { rss } = process.memoryUsage();
  expect(own?.bytes).toBeGreaterThan(rss / 2);
  expect(own?.bytes).toBeLessThan(rss * 2);
});

test.runIf(canMeasureProcesses)("knows nothing of a process that is not there", () => {
  expect(cpuMicroseconds(2 ** 30)).toBeUndefined();
});
