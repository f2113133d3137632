import { expect, test } from "vitest";
import { cpuMicroseconds, lessUsage, readCpuTicks, type Usage } from "./counters.ts";

const usage = (elapsedMs: number, engine: number | undefined, counts: number): Usage => ({
  elapsedMs,
  cpu: { engine },
  engine: { commands: counts, writes: 2 * counts, journalBytes: 100 * counts },
});

test("counts the work between two readings", () => {
  expect(lessUsage(usage(3_000, 900, 60), usage(1_000, 500, 10))).toEqual(usage(2_000, 400, 50));
});

test("takes the idle work of the same time from each count, and never more than there is", () => {
  const idle = usage(500, 50, 20);
  expect(lessUsage(usage(2_000, 400, 50), idle, 2)).toEqual(usage(1_000, 300, 10));
  expect(lessUsage(usage(2_000, 100, 30), idle, 4)).toEqual(usage(0, 0, 0));
});

test("knows no work of a process that cannot be measured", () => {
  const none = { ...usage(1, undefined, 1).engine, journalBytes: undefined };
  const unmeasured = { ...usage(1, undefined, 1), engine: none };
  expect(lessUsage(unmeasured, usage(0, 5, 0))).toEqual(unmeasured);
});

test("reads a stat line, whatever the name contains", () => {
  const rest = "S 12 1 1 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 11 0 99 22000000 7000 184467";
  expect(readCpuTicks(`345 (a (b) c) ${rest}`)).toBe(300);
});

test.runIf(process.platform === "linux")("measures a process that runs", () => {
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(0);
  expect(cpuMicroseconds(2 ** 30)).toBeUndefined();
});
