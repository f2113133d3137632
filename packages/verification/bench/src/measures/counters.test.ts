import { expect, test } from "vitest";
import {
  commandsBetween,
  commandTotal,
  cpuMicroseconds,
  readCpuTicks,
  scaledCounts,
  usageBetween,
} from "./counters.ts";

test("counts what ran in between, less what runs idle anyway", () => {
  const before = { find: 10, insert: 5 };
  const after = { find: 40, insert: 5, update: 7, aggregate: 1 };
  const idle = { find: 3, aggregate: 2 };
  expect(commandsBetween(before, after, idle)).toEqual({ find: 27, update: 7 });
});

test("scales and adds up", () => {
  expect(scaledCounts({ find: 10, insert: 4 }, 0.5)).toEqual({ find: 5, insert: 2 });
  expect(commandTotal({ find: 5, insert: 2 })).toBe(7);
  expect(commandTotal({})).toBe(0);
});

test("takes from CPU time, writes and journal what an idle platform has of each", () => {
  const [commands, writes] = [{}, 10];
  const cpu = { engine: 500, broker: undefined };
  const before = { atMs: 1_000, cpu, commands, writes, journalBytes: 1_000 };
  const used = { engine: 900, broker: 7 };
  const after = { atMs: 3_000, cpu: used, commands, writes: 60, journalBytes: 4_000 };
  const idle = { elapsedMs: 1_000, cpu: { engine: 50 }, commands, writes: 5, journalBytes: 100 };
  expect(usageBetween(before, after, idle)).toMatchObject({
    elapsedMs: 2_000,
    cpu: { engine: 300, broker: undefined },
    writes: 40,
    journalBytes: 2_800,
  });
  const none = { ...after, journalBytes: undefined };
  expect(usageBetween(before, none, idle).journalBytes).toBeUndefined();
});

test("reads a stat line, whatever the name contains", () => {
  const rest = "S 12 1 1 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 11 0 99 22000000 7000 184467";
  expect(readCpuTicks(`345 (a (b) c) ${rest}`)).toBe(300);
});

test.runIf(process.platform === "linux")("measures a process that runs", () => {
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(0);
  expect(cpuMicroseconds(2 ** 30)).toBeUndefined();
});
