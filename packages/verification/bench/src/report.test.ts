import { expect, test } from "vitest";
import type { BenchFigures, FloorFigures, ScenarioFigures } from "./figures.ts";
import { report, table } from "./report.ts";

test("lines up columns, words to the left and numbers to the right", () => {
  expect(
    table(
      ["name", "n"],
      [
        ["a", "1,000"],
        ["longer", "2"],
      ],
    ),
  ).toBe(["name        n", "─────────────", "a       1,000", "longer      2"].join("\n"));
});

const floor: FloorFigures = { requests: 9, per_s: 900, p50_ms: 1, p99_ms: 2, cpu_us: 30 };
const quote: ScenarioFigures = {
  ...{ requests: 10, per_s: 90, p50_ms: 10, p99_ms: 20, concurrency: 16 },
  cpu_us: { gateway: 1_500, engine: null },
  mongo_ops: { find: 7 },
  mongo_ops_total: 7,
  ...{ floor_echo: floor, floor_mongo: floor, floor_echo_ratio: 0.1, floor_mongo_ratio: 0.1 },
};
const figures: BenchFigures = {
  ...{ seconds_in_all: 200, cpus: 2, concurrency: 16, money_conserved: true },
  scenarios: { quote },
  flat: {
    list: { at_1000: 4, at_200000: 5, ratio: 1.25 },
    read: { at_1000: 4, at_200000: 6, ratio: 1.5 },
  },
  flat_within: 1.3,
  idle: {},
};

test("shows every figure, and what was not measured", () => {
  const text = report(figures);
  expect(text).toMatch(/quote +90 +10 +20 +900 +0\.1 +900 +0\.1/);
  expect(text).toMatch(/quote +1,500 +–/);
  expect(text).toMatch(/200,000 payouts/);
});

test("says what is not flat", () => {
  const text = report(figures);
  expect(text).toMatch(/list +4 +5 +1\.25 × +flat/);
  expect(text).toMatch(/read +4 +6 +1\.5 × +NOT FLAT/);
});

test("says whether one account keeps up with many", () => {
  const hot_account = { one_per_s: 90, many_per_s: 100, accounts: 16, ratio: 0.9, ratio_min: 0.8 };
  expect(report({ ...figures, hot_account })).toMatch(/execute +90 +100 +0\.9 ×$/m);
  const slow = { ...hot_account, ratio: 0.79 };
  expect(report({ ...figures, hot_account: slow })).toMatch(/0\.79 × +TOO LOW/);
});

test("shows what an idle platform costs, by size", () => {
  const cpu = { payout_cpu_ms: 120.5, engine_cpu_ms: null };
  const minute = { ...cpu, mongo_ops: 300, keys_examined: 40, documents_examined: 0 };
  const text = report({ ...figures, idle: { at_1000000: minute } });
  expect(text).toMatch(/1,000,000 payouts +120\.5 +– +300 +40 +0$/m);
});

test("leaves out what was not measured", () => {
  const text = report({ ...figures, scenarios: {} });
  expect(text).not.toContain("CPU per request");
});
