import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterEach, expect, it, vi } from "vitest";
import {
  indexOf,
  personEntry,
  requestFor,
  type TestSubjects,
  testSubjects,
} from "../test-subjects.ts";
import { monitorGauges, monitorWork } from "./loop.ts";
import { monitorRound } from "./round.ts";

let test: TestSubjects;
afterEach(() => test.end());

it("shows subjects by verdict, pending events, and the lag of monitoring", async () => {
  const listed = [personEntry("1", "Ulvanka Drostig")];
  test = await testSubjects(indexOf("1", listed));
  await test.addClear([requestFor("ben_1", "Harlan Mosswick"), requestFor("ben_2", "Any Body")]);
  const metrics = createMetrics("test");
  let minutes = 0;
  const clock = { now: () => new Date(Date.now() + minutes * 60_000) };
  const run = monitorGauges({ ...test.deps, clock }, metrics);
  const shown = async () => {
    await run();
    const text = await metrics.text();
    const value = (name: string) => Number(new RegExp(`^${name}.* (\\S+)$`, "m").exec(text)?.[1]);
    return {
      clear: value('disburse_subjects{verdict="clear"'),
      block: value('disburse_subjects{verdict="block"'),
      pending: value("disburse_screening_events_pending"),
      lag: Math.round(value("disburse_monitoring_lag_seconds") / 60),
    };
  };
  expect(await shown()).toEqual({ clear: 2, block: 0, pending: 0, lag: 0 });
  const added = [personEntry("new", "Harlan Mosswick")];
  test.switchTo(indexOf("2", [...listed, ...added]), { added });
  minutes = 10;
  expect(await shown()).toEqual({ clear: 2, block: 0, pending: 0, lag: 10 });
  await monitorRound(test.deps);
  expect(await shown()).toEqual({ clear: 1, block: 1, pending: 1, lag: 0 });
  // A new matcher configuration has no import, so the time counts from its detection.
  await test.subjects.updateOne({ record_id: "ben_2" }, { $set: { stamp: "other numbers" } });
  expect((await shown()).lag).toBe(0);
  minutes = 15;
  expect((await shown()).lag).toBe(5);
});

it("retries failed subjects after a while, and at once with another index", async () => {
  const listed = [personEntry("1", "Ulvanka Drostig")];
  test = await testSubjects(indexOf("1", listed));
  await test.addClear([requestFor("ben_1", "Harlan Mosswick")]);
  await test.subjects.updateOne({ record_id: "ben_1" }, { $set: { sealed: "k9.lost" } });
  const compared: unknown[] = [];
  const info = (fields: unknown) => void compared.push(fields);
  const deps = { ...test.deps, log: { ...test.deps.log, info } as typeof test.deps.log };
  const run = monitorWork(deps, async () => undefined);
  const added = [personEntry("new", "Harlan Mosswick")];
  const failed = { screened: 0, spared: 0, failed: 1 };
  test.switchTo(indexOf("2", [...listed, ...added]), { added });
  for (const _ of [1, 2]) await run();
  expect(compared).toEqual([failed]);
  test.switchTo(indexOf("3", [...listed, ...added, personEntry("x", "Any Body")]), { added });
  await run();
  expect(compared).toEqual([failed, failed]);
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 30_001);
  await run();
  clock.mockRestore();
  expect(compared).toEqual([failed, failed, failed]);
});
