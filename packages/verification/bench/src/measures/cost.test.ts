import { expect, test } from "vitest";
import { costOf, naiveCpuRatio, restFigures } from "./cost.ts";
import type { Usage } from "./counters.ts";

const usage: Usage = {
  elapsedMs: 10_000,
  cpu: { gateway: 300_000, engine: 700_000, broker: undefined, load: 90_000 },
  engine: { commands: 600, writes: 2_000, journalBytes: 2_400_000 },
};
const rest: Usage = {
  elapsedMs: 2_000,
  cpu: { gateway: 20_000, engine: 40_000, broker: undefined, load: 0 },
  engine: { commands: 20, writes: 0, journalBytes: 80_000 },
};

test("shows the work at rest beside the cost of a request", () => {
  expect(costOf(usage, rest, 100)).toEqual({
    cpu_us: { gateway: 2_000, engine: 5_000, broker: null, load: 900 },
    cpu_us_total: 7_000,
    rest_cpu_us: 3_000,
    mongo_ops_total: 5,
    document_writes: 20,
    journal_bytes: 20_000,
  });
  expect(costOf(usage, undefined, 100)).toMatchObject({ cpu_us_total: 10_000, rest_cpu_us: 0 });
});

test("shows the work at rest as a share of one processor", () => {
  const cpu_share = { gateway: 0.01, engine: 0.02, broker: null, load: 0 };
  expect(restFigures(rest)).toEqual({ cpu_share, mongo_ops: 10 });
});

test.each([
  [{ cpu_us: 300, engine_cpu_us: 500 }, 2.5],
  [{ cpu_us: 300, engine_cpu_us: null }, null],
  [{ cpu_us: null, engine_cpu_us: null }, null],
])("compares the CPU time with the naive program's %j: %j", (naive, ratio) => {
  expect(naiveCpuRatio({ cpu_us_total: 2_000 }, naive)).toBe(ratio);
});
