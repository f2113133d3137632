import { expect, test } from "vitest";
import { type MemorySample, memoryFaults, memorySample, memoryTable } from "./memory-report.ts";

const megabytes = (count: number) => count * 1_024 * 1_024;
const node = "node-MainThread";

test("distinguishes the parts of the tree", () => {
  const processes = [
    { name: node, command: "node scripts/launch.mjs packages/standalone/src/main.ts", bytes: 50 },
    { name: node, command: "node packages/standalone/src/main.ts", bytes: 250 },
    { name: "sh", command: "/bin/sh supervisor.sh node engine-host.ts", bytes: 1 },
    { name: node, command: "ld-linux node engine-host.ts", bytes: 200 },
    { name: "beam.smp", command: "beam.smp", bytes: 120 },
    { name: "epmd", command: "epmd", bytes: 2 },
  ].map((each) => ({ ...each, bytes: megabytes(each.bytes) }));
  expect(memorySample(10, processes, megabytes(700))).toEqual({
    ...{ payouts: 10, total_mb: 623, peak_mb: 700 },
    ...{ platform_mb: 250, engine_mb: 200, broker_mb: 120, rest_mb: 53 },
  });
});

function samples(...totals: [payouts: number, totalMb: number][]): MemorySample[] {
  return totals.map(([payouts, total_mb]) => ({
    ...{ payouts, total_mb, peak_mb: total_mb },
    ...{ platform_mb: 0, engine_mb: 0, broker_mb: 0, rest_mb: 0 },
  }));
}

test.each([
  [samples([1_000, 500], [10_000, 650], [50_000, 660]), 0],
  [samples([1_000, 900], [10_000, 699]), 0],
  [samples([10_000, 700]), 1],
  [samples([10_000, 500], [50_000, 550]), 0],
  [samples([10_000, 500], [50_000, 551]), 1],
])("judges from 10,000 payouts on: %j", (given, faults) => {
  expect(memoryFaults(given)).toHaveLength(faults);
});

test("shows each sample", () => {
  expect(memoryTable(samples([10_000, 650]))).toMatch(/10,000 +650 +650/);
});
