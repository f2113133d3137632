import { expect, test } from "vitest";
import { report } from "./report.ts";
import { exampleFigures as figures } from "./testing.ts";

test("shows every figure, and the load generator apart from what the platform costs", () => {
  const text = report(figures);
  expect(text).toMatch(/quote +90 +10 +20 +25 +4 +20 +2,000 +7 +3\.5$/m);
  expect(text).toMatch(/quote +900 +0\.2 +900 +0\.05 +900 +0\.1 +900 +0\.1$/m);
  expect(text).toMatch(/quote +1,500 +500 +700$/m);
  expect(text).toMatch(/200,000 payouts/);
});

test("shows what was not measured", () => {
  expect(report(figures)).toMatch(/gateway +engine +broker\n─+\n +110 +220 +–/);
});

test("shows each rate of the lifecycles, and which was too much", () => {
  const text = report(figures);
  expect(text).toMatch(/lifecycle +closed +90 +10 +20 +30 +60$/m);
  expect(text).toMatch(/10\/s +10 +10 +20 +30 +60$/m);
  expect(text).toMatch(/25\/s +12 +10 +20 +30 +60 +DID NOT KEEP UP$/m);
});

test("shows what a cold start takes", () => {
  expect(report(figures)).toMatch(/2,100 +80 +95$/m);
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
  const text = report({ ...figures, scenarios: {}, memory_mb: {} });
  expect(text).not.toMatch(/CPU per request|Resident memory/);
});
