import { expect, it, vi } from "vitest";
import { createGapLog } from "./gap-log.ts";

const setNow = (time: number) => vi.spyOn(performance, "now").mockReturnValue(time);

function noteAt(log: ReturnType<typeof createGapLog>, gateway: number, times: readonly number[]) {
  for (const time of times) {
    setNow(time);
    log.noteNew(gateway, true);
  }
}

it("finds the longest gap at any gateway, also one that began before the fault", () => {
  const log = createGapLog(2);
  noteAt(log, 0, [0, 100, 5_000, 5_100, 9_000]);
  noteAt(log, 1, [0, 100, 200, 3_000, 5_200, 9_000]);
  expect(log.between(150, 6_000)).toEqual({ newMs: 4_900, repeatingMs: 0 });
  expect(log.between(5_050, 6_000)).toMatchObject({ newMs: 2_200 });
});

it("counts the time until now, if nothing succeeded", () => {
  const log = createGapLog(1);
  noteAt(log, 0, [100]);
  setNow(4_000);
  log.noteNew(0, false);
  expect(log.between(200, 5_000)).toMatchObject({ newMs: 4_900 });
  expect(log.hasRecoveredSince(50)).toBe(true);
  expect(log.hasRecoveredSince(200)).toBe(false);
  expect(log.requests()).toBe(2);
});

it("finds the longest repetition that touches the fault, also one that has not ended", () => {
  const log = createGapLog(1);
  for (const [from, to, codes] of [
    [0, 900, []],
    [1_000, 1_500, ["BUSY", "BUSY", "LATE", "BUSY", ""]],
    [1_800, 2_100, ["LATE"]],
  ] as const) {
    setNow(from);
    const repeat = log.beginRepeat("/quotes");
    codes.forEach((code, at) => {
      setNow(from + (at + 1) * 100);
      log.noteTry(repeat, code);
    });
    setNow(to);
    log.endRepeat(repeat);
  }
  expect(log.between(1_200, 2_000)).toMatchObject({ repeatingMs: 500 });
  const tries = "BUSY until 200 ms, LATE until 300 ms, BUSY until 400 ms, success until 500 ms";
  expect(log.longestRepeat(1_200, 2_000)).toMatch(/^\/quotes, begun at .*Z: /);
  expect(log.longestRepeat(1_200, 2_000)).toContain(tries);
  expect(log.longestRepeat(950, 960)).toBe("");
  setNow(2_200);
  const last = log.beginRepeat("/quotes");
  noteAt(log, 0, [3_000]);
  expect(log.between(2_150, 3_000)).toMatchObject({ repeatingMs: 800 });
  expect(log.hasRecoveredSince(2_500)).toBe(false);
  log.endRepeat(last);
  expect(log.hasRecoveredSince(2_500)).toBe(true);
});
